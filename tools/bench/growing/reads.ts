import { core, entries, type Growing, times } from './items.ts'

/** Reads and deletions of many. */
export const reads: readonly Growing[] = [
  {
    name: 'list: a selector of many terms',
    most: 4_500,
    status: 200,
    request: (n) => ({
      method: 'GET',
      path: `${core}/configmaps?labelSelector=${times(n, (at) => `k${at}`).join()}`,
    }),
  },
  {
    name: 'list: a selector of many values',
    most: 4_500,
    status: 200,
    request: (n) => ({
      method: 'GET',
      path: `${core}/configmaps?labelSelector=a+in+(${times(n, (at) => `v${at}`).join()})`,
    }),
  },
  {
    name: 'list: a field selector of many terms',
    most: 1_700,
    status: 200,
    request: (n) => ({
      method: 'GET',
      path: `${core}/configmaps?fieldSelector=${times(n, () => 'metadata.name!=x').join()}`,
    }),
  },
  {
    name: 'delete collection: a selector of many values',
    most: 4_500,
    status: 200,
    request: (n) => ({
      method: 'DELETE',
      path: `${core}/secrets?labelSelector=never+in+(${times(n, (at) => `v${at}`).join()})`,
    }),
  },
  {
    name: 'delete collection: unknown options',
    most: 9_500,
    status: 200,
    request: (n) => ({
      method: 'DELETE',
      path: `${core}/secrets?labelSelector=never`,
      body: entries(n),
    }),
  },
]
