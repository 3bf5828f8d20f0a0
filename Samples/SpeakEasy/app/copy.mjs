// The copy: what this browser knows of the program, in IndexedDB, and the changes that the server does not have yet.

const collections = ['events', 'presenters', 'pictures'];
let opened;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('speakeasy', 1);
    request.onupgradeneeded = () => {
      for (const name of [...collections, 'changes']) request.result.createObjectStore(name, { keyPath: 'id' });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

// Runs a body in one transaction, and returns the result of the request that it returns.
async function transact(names, mode, body) {
  const transaction = (await database()).transaction(names, mode);
  const request = body(transaction);
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

export const all = name => transact([name], 'readonly', t => t.objectStore(name).getAll());
export const get = (name, id) => transact([name], 'readonly', t => t.objectStore(name).get(id));
export const put = (name, row) => transact([name], 'readwrite', t => t.objectStore(name).put(row));
export const remove = (name, id) => transact([name], 'readwrite', t => t.objectStore(name).delete(id));

// Replaces all rows of a collection at once: a reader sees the old ones or the new ones.
export const replace = (name, rows) => transact([name], 'readwrite', t => {
  t.objectStore(name).clear();
  for (const row of rows) t.objectStore(name).put(row);
});

// The events as the user has left them: those of the server, with the waiting changes over them.
export async function events() {
  const rows = new Map((await all('events')).map(row => [row.id, row]));
  for (const change of await all('changes')) rows.set(change.id, { ...rows.get(change.id), ...change, waits: true });
  return [...rows.values()].sort((a, b) => order(a).localeCompare(order(b)) || a.id.localeCompare(b.id));
}

const order = row => String(row.document.begins ?? '9999');

// Keeps a change of an event until it is pushed. Its condition is the version that the user saw when the first of the
// waiting changes was made.
export async function change(id, document, seen) {
  const earlier = await get('changes', id);
  const base = earlier ?? { version: seen?.version ?? null, base: seen?.document ?? null };
  await put('changes', { id, version: base.version, base: base.base, document, edit: crypto.randomUUID() });
}

// After a push, the change is done. A change that was edited meanwhile goes on waiting, on top of what was pushed. If the
// stream has brought another version already, it is this one or a later one, and stays.
export const pushed = (change, version) => transact(['events', 'changes'], 'readwrite', t => {
  const events = t.objectStore('events');
  const stored = events.get(change.id);
  stored.onsuccess = () => {
    if ((stored.result?.version ?? null) === change.version) events.put({ id: change.id, version, document: change.document });
  };
  const changes = t.objectStore('changes');
  const request = changes.get(change.id);
  request.onsuccess = () => {
    const now = request.result;
    if (!now || now.edit === change.edit) changes.delete(change.id);
    else changes.put({ ...now, version, base: change.document });
  };
});
