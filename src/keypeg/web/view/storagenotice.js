/** A sentence about the browser's storage, if something is wrong with it. */

import { safeStorage, storageTrouble } from "../live/storage.js";
import { element } from "./element.js";

const TRIED = "keypeg.storage";

export function storageNotice() {
  safeStorage.setItem(TRIED, "1");
  safeStorage.removeItem(TRIED);
  const trouble = storageTrouble();
  return trouble && element("p", { class: "wrong", role: "status" }, trouble);
}
