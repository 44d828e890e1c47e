import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { openTable, takeSeat } from "../../../src/keypeg/web/live/api.js";

const SEATED = { table: "t", seat: "one", token: null };
let asked = [];
let answers = [];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  asked.push(JSON.parse(body));
  const [status, said] = answers.shift() ?? [201, SEATED];
  if (status === "lost") return request.socket.destroy();
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(said));
});
const lost = ["lost"];
const retries = () => new Set(asked.map((body) => body.retry));

before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const { fetch } = globalThis;
  globalThis.fetch = (path, request) => fetch(base + path, request);
});
beforeEach(() => {
  asked = [];
  answers = [];
});
after(() => server.close());

test("a seat whose answer was lost is asked for again with the same bits", async () => {
  answers = [lost, [503, { code: "unavailable", message: "not now" }]];
  assert.deepEqual(await openTable({ board: "4x6" }), SEATED);
  assert.equal(asked.length, 3);
  assert.equal(retries().size, 1);
  assert.match(asked[0].retry, /^[A-Za-z0-9_-]{43}$/);
});

test("asking once more after giving up goes on with the same bits, until an answer comes", async () => {
  answers = [lost, lost, lost, lost];
  await assert.rejects(takeSeat("t", "two", "Bob"), { code: "unreachable" });
  await takeSeat("t", "two", "Bob");
  assert.equal(asked.length, 5);
  assert.equal(retries().size, 1);
  await takeSeat("t", "two", "Bob");
  assert.equal(retries().size, 2);
});

test("a refusal is an answer", async () => {
  answers = [[409, { code: "seat-held", message: "somebody has this seat" }]];
  await assert.rejects(takeSeat("t", "two", "Bob"), { code: "seat-held" });
  await takeSeat("t", "two", "Bob");
  assert.equal(asked.length, 2);
  assert.equal(retries().size, 2);
});
