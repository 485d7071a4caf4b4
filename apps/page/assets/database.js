// IndexedDB with promises, as far as the page needs it.

const NAME = "crownhead";

/** Games, and what was stored in place of a game but is none. */
const STORES = ["games", "aside"];

/** The result of a request. */
export function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Opens the database of the page; `onClose` is called when a newer page needs another one. */
export async function openDatabase(factory, onClose) {
  const request = factory.open(NAME, 1);
  request.onupgradeneeded = () => STORES.forEach((name) => request.result.createObjectStore(name, { keyPath: "id" }));
  const database = await done(request);
  database.onversionchange = () => {
    database.close();
    onClose();
  };
  return database;
}

/** Calls `act(games, aside)` in one transaction. Resolves to its result when everything is stored, or nothing is. */
export function transact(database, mode, act) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORES, mode);
    const fail = (error) => reject(error ?? new DOMException("the transaction was aborted", "AbortError"));
    let result;
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () => fail(transaction.error);
    const stores = STORES.map((name) => transaction.objectStore(name));
    act(...stores).then((value) => (result = value)).catch((error) => {
      reject(error);
      transaction.abort();
    });
  });
}
