import {
  core,
  creating,
  entries,
  entriesOf,
  type Growing,
  map,
  owner,
  record,
  times,
  update,
} from './items.ts'

/** Creations of objects with much metadata. */
export const metadata: readonly Growing[] = [
  creating('owners', 16_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { ownerReferences: times(n, owner) }),
  ),
  creating('one owner again and again', 16_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { ownerReferences: times(n, () => owner(0)) }),
  ),
  creating(
    'controllers',
    14_000,
    `${core}/configmaps`,
    (n, name) =>
      map(name, {}, { ownerReferences: times(n, (at) => ({ ...owner(at), controller: true })) }),
    422,
  ),
  creating('appliers', 9_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { managedFields: times(n, (at) => record(at)) }),
  ),
  creating('writers', 9_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { managedFields: times(n, update) }),
  ),
  creating('fields of one manager', 9_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { managedFields: [record(0, { 'f:data': entriesOf(n, (at) => `f:k${at}`) })] }),
  ),
  creating('items of one manager', 9_000, `${core}/configmaps`, (n, name) =>
    map(
      name,
      {},
      { managedFields: [record(0, { 'f:data': entriesOf(n, (at) => `k:{"name":"k${at}"}`) })] },
    ),
  ),
  creating('finalizers', 9_000, `${core}/configmaps`, (n, name) =>
    map(name, {}, { finalizers: times(n, (at) => `a.b/f${at}`) }),
  ),
  creating('labels', 9_500, `${core}/configmaps`, (n, name) =>
    map(name, {}, { labels: entries(n) }),
  ),
  creating('annotations', 9_500, `${core}/configmaps`, (n, name) =>
    map(name, {}, { annotations: entries(n) }),
  ),
  creating(
    'wrong labels',
    9_500,
    `${core}/configmaps`,
    (n, name) => map(name, {}, { labels: entriesOf(n, (at) => `-k${at}`, '-') }),
    422,
  ),
  creating('unknown fields', 9_500, `${core}/configmaps`, (n, name) => map(name, entries(n))),
  creating('data', 9_500, `${core}/configmaps`, (n, name) => map(name, { data: entries(n) })),
]
