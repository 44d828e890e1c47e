// Which guess is best on a region, and how a guess splits it. Compiled for one board at a time, with
// HOLES, BITS, COUNTS (words of counts), LOWEST (the lowest bit of each place), ALL_COLOURS (a bit for
// each), REPEATS, LARGEST (whether a guess costs its largest cell) and THREADS (of a block) defined.

typedef unsigned int word;
typedef long long cost_t;

#define SIDE (HOLES + 1)
#define CELLS (SIDE * SIDE)
#define TILE 256  // as in trees.py

// As long as one load from memory.
struct alignas(COUNTS == 1 ? 8 : 16) Code { word places; word counts[COUNTS]; };

__device__ __forceinline__ Code code_at(const word* words, long long many, long long at) {
    Code code;
    code.places = words[at];
#pragma unroll
    for (int i = 0; i < COUNTS; i++) code.counts[i] = words[(1 + i) * many + at];
    return code;
}

// The cell of the tally that the answer belongs to: by pegs in common and holes that differ.
__device__ __forceinline__ int cell_of(const Code& one, const Code& other) {
    word x = one.places ^ other.places, differing = x;
#pragma unroll
    for (int i = 1; i < BITS; i++) differing |= x >> i;
    int common = 0;
#pragma unroll
    for (int i = 0; i < COUNTS; i++) common += __popc(one.counts[i] & other.counts[i]);
    return common * SIDE + __popc(differing & LOWEST);
}

__device__ __forceinline__ bool better(cost_t cost, word rank, cost_t than, word its) {
    return cost < than || (cost == than && rank < its);
}

// Write the best of all threads of the block.
__device__ void write_best(
    cost_t best, word best_rank, cost_t* best_costs, word* best_ranks, cost_t* costs, word* ranks) {
    const int me = threadIdx.x;
    best_costs[me] = best, best_ranks[me] = best_rank;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (me >= half) continue;
        const int other = me + half;
        if (better(best_costs[other], best_ranks[other], best_costs[me], best_ranks[me]))
            best_costs[me] = best_costs[other], best_ranks[me] = best_ranks[other];
    }
    if (me == 0) {
        const long long out = (long long)blockIdx.x * gridDim.y + blockIdx.y;
        costs[out] = best_costs[0], ranks[out] = best_ranks[0];
    }
}

// Whether a guess is not another one with colours exchanged that no code of the region has, or that
// were never guessed before. The masks have a bit for each colour.
__device__ __forceinline__ bool worthwhile(word used, word absent, word unguessed) {
    const word alike = used & unguessed, missing = unguessed & ~used;
    if (missing != 0 && (missing & (0u - missing)) <= alike) return false;
    if (REPEATS) return (used & absent & (absent - 1)) == 0;
    const word out = used & absent, left = absent & ~used;
    return left == 0 || (left & (0u - left)) > out;
}

// The least cost of the guesses for a region, and the guess that has it. The rank of a guess is its
// number, with the highest bit set unless it may be the secret. The pool has the guesses to be tried.
// Each thread tries one guess at a time; guesses that are not worthwhile are left out before, so that
// no thread waits for another.
// blockIdx.x is the region, blockIdx.y the share of the guesses that the block tries.
template <bool SMALL>
__device__ void search(
    const word* words, long long many, const word* colours, const word* pool, long long pooled,
    const int* order, const int* starts, const int* sizes, const word* present, const word* guessed,
    const cost_t* by_size, cost_t won, cost_t* costs, word* ranks) {
    extern __shared__ word tally[];  // [cell][thread]
    __shared__ Code tile[TILE];
    __shared__ word queue[2 * THREADS];
    __shared__ int queued;
    __shared__ cost_t best_costs[THREADS];
    __shared__ word best_ranks[THREADS];
    const int me = threadIdx.x;
    const int start = starts[blockIdx.x], n = sizes[blockIdx.x];
    const word absent = ALL_COLOURS & ~present[blockIdx.x];
    const word unguessed = ALL_COLOURS & ~guessed[blockIdx.x];
    const long long share = (pooled + gridDim.y - 1) / gridDim.y;
    const long long first = share * blockIdx.y, last = min(first + share, pooled);
    cost_t best = 0x7fffffffffffffffLL;
    word best_rank = 0xffffffffu;
    if (me == 0) queued = 0;
    if (SMALL)  // the region lies in the tile for good
        for (int i = me; i < n; i += THREADS) tile[i] = code_at(words, many, order[start + i]);
    __syncthreads();
    int waiting = 0;
    for (long long at = first; at < last || waiting > 0; at += THREADS) {
        const word next = at + me < last ? pool[at + me] : 0;
        const bool keep = at + me < last && worthwhile(colours[next], absent, unguessed);
        const word kept = __ballot_sync(0xffffffffu, keep);
        int place = 0;
        if (me % 32 == 0) place = atomicAdd(&queued, __popc(kept));
        place = __shfl_sync(0xffffffffu, place, 0);
        if (keep) queue[place + __popc(kept & ((1u << me % 32) - 1))] = next;
        __syncthreads();
        waiting = queued;
        __syncthreads();
        if (waiting < THREADS && at + THREADS < last) continue;
        const bool mine = me < waiting;
        const word guess = queue[mine ? me : 0];
        if (waiting > 0) {
            const Code code = code_at(words, many, guess);
#pragma unroll
            for (int cell = 0; cell < CELLS; cell++) tally[cell * THREADS + me] = 0;
            cost_t cost = 0;
            bool wins = false;
            if (SMALL) {
                for (int i = 0; i < n; i++) {
                    word* here = &tally[cell_of(code, tile[i]) * THREADS + me];
                    const int before = *here;
                    *here = before + 1;
                    if (LARGEST) cost = max(cost, by_size[before + 1]);
                    else cost += by_size[before + 1] - by_size[before];
                    wins |= code.places == tile[i].places;
                }
            } else {
                for (int from = 0; from < n; from += TILE) {
                    const int end = min(TILE, n - from);
                    __syncthreads();
                    for (int i = me; i < end; i += THREADS)
                        tile[i] = code_at(words, many, order[start + from + i]);
                    __syncthreads();
#pragma unroll 4
                    for (int i = 0; i < end; i++)
                        tally[cell_of(code, tile[i]) * THREADS + me]++;
                }
#pragma unroll
                for (int cell = 0; cell < CELLS; cell++) {
                    const word size = tally[cell * THREADS + me];
                    cost = LARGEST ? max(cost, by_size[size]) : cost + by_size[size];
                    if (cell % SIDE == 0) wins |= size > 0;
                }
            }
            if (wins && !LARGEST) cost += won - by_size[1];
            const word rank = guess | (wins ? 0u : 0x80000000u);
            if (mine && better(cost, rank, best, best_rank)) best = cost, best_rank = rank;
        }
        __syncthreads();
        waiting = max(waiting - THREADS, 0);
        if (me < waiting) queue[me] = queue[THREADS + me];
        if (me == 0) queued = waiting;
        __syncthreads();
    }
    write_best(best, best_rank, best_costs, best_ranks, costs, ranks);
}

#define PARAMETERS \
    const word *words, long long many, const word *colours, const word *pool, long long pooled, \
        const int *order, const int *starts, const int *sizes, const word *present, \
        const word *guessed, const cost_t *by_size, cost_t won, cost_t *costs, word *ranks
#define ARGUMENTS \
    words, many, colours, pool, pooled, order, starts, sizes, present, guessed, by_size, won, costs, ranks

extern "C" __global__ void search_small(PARAMETERS) { search<true>(ARGUMENTS); }
extern "C" __global__ void search_large(PARAMETERS) { search<false>(ARGUMENTS); }

// The same for a region's own codes: a block of THREADS threads for each region of at most TILE codes.
extern "C" __global__ void search_members(
    const word* words, long long many, const int* order, const int* starts, const int* sizes,
    const cost_t* by_size, cost_t won, cost_t* costs, word* ranks) {
    extern __shared__ word tally[];  // [cell][thread]
    __shared__ Code tile[TILE];
    __shared__ cost_t best_costs[THREADS];
    __shared__ word best_ranks[THREADS];
    const int me = threadIdx.x;
    const int start = starts[blockIdx.x], n = sizes[blockIdx.x];
    for (int i = me; i < n; i += THREADS) tile[i] = code_at(words, many, order[start + i]);
    __syncthreads();
    cost_t best = 0x7fffffffffffffffLL;
    word best_rank = 0xffffffffu;
    for (int own = me; own < n; own += THREADS) {
        const Code code = tile[own];
        for (int cell = 0; cell < CELLS; cell++) tally[cell * THREADS + me] = 0;
        cost_t cost = 0;
        for (int i = 0; i < n; i++) {
            word* here = &tally[cell_of(code, tile[i]) * THREADS + me];
            const int before = *here;
            *here = before + 1;
            if (LARGEST) cost = max(cost, by_size[before + 1]);
            else cost += by_size[before + 1] - by_size[before];
        }
        if (!LARGEST) cost += won - by_size[1];
        const word rank = (word)order[start + own];
        if (better(cost, rank, best, best_rank)) best = cost, best_rank = rank;
    }
    write_best(best, best_rank, best_costs, best_ranks, costs, ranks);
}

// The colours that the codes of each region have.
extern "C" __global__ void mark(
    const word* colours, const int* order, const int* region, word* present, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicOr(&present[region[i]], colours[order[i]]);
}

// The cell of each code's answer to the guess of its region.
extern "C" __global__ void split(
    const word* words, long long many, const int* order, const int* region, const int* guess,
    unsigned char* cells, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cells[i] = cell_of(code_at(words, many, guess[region[i]]), code_at(words, many, order[i]));
}
