/** Requests that hold many of one thing: what a client may send at length, on every route that takes it. */

/** One request. */
export interface GrowingRequest {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: unknown
}

/** A request of a chosen number of items, with what has to be there before. */
export interface Growing {
  readonly name: string
  /** The most items that the limits on a request let through, or that make the worst of it. */
  readonly most: number
  /** The status of its answer. With another one the request did not reach what is measured. */
  readonly status: number
  readonly before?: (n: number, name: string) => readonly GrowingRequest[]
  readonly request: (n: number, name: string) => GrowingRequest
}

/** Where objects of the core stand. */
export const core = '/api/v1/namespaces/default'
/** Where workloads stand. */
export const apps = '/apis/apps/v1/namespaces/default'
/** The media type of a server-side apply. */
export const applying = 'application/apply-patch+yaml'
/** The media type of a merge patch. */
export const merging = 'application/merge-patch+json'
/** The media type of a strategic merge patch. */
export const strategic = 'application/strategic-merge-patch+json'
/** The media type of a JSON patch. */
export const operations = 'application/json-patch+json'

/** A list of so many items. */
export function times<T>(n: number, item: (at: number) => T): T[] {
  return Array.from({ length: n }, (_, at) => item(at))
}

/** An object of so many entries. */
export function entries(n: number, value: (at: number) => unknown = () => ''): object {
  return Object.fromEntries(times(n, (at) => [`k${at}`, value(at)]))
}

/** An owner reference. */
export const owner = (at: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: `o${at}`,
  uid: `u${at}`,
})

/** A record of managed fields that one manager has. */
export const record = (at: number, fields: object = { 'f:data': { [`f:k${at}`]: {} } }) => ({
  manager: `m${at}`,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
})

/** A record of managed fields of a writer. */
export const update = (at: number) => ({ ...record(at), operation: 'Update', time: stamp(at) })

function stamp(at: number): string {
  return new Date(at * 1000).toISOString().replace('.000', '')
}

/** A config map. */
export const map = (name: string, more: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...more,
})

/** The spec of a pod with one container. */
export const podSpec = (more: object = {}, container: object = {}) => ({
  containers: [{ name: 'c', image: 'i', ...container }],
  ...more,
})

/** A deployment whose pods have this spec. */
export const deployment = (name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, ...metadata },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec },
  },
})

/** A request to create an object. */
export const post = (path: string, body: unknown): GrowingRequest => ({
  method: 'POST',
  path,
  body,
})
/** A request to patch an object. */
export const patch = (path: string, type: string, body: unknown): GrowingRequest => ({
  method: 'PATCH',
  path,
  type,
  body,
})

/** Makes a body of so many items, for an object of that name. */
export type Made = (n: number, name: string) => unknown

/** A creation that grows. */
export const creating = (
  name: string,
  most: number,
  path: string,
  body: Made,
  status = 201,
): Growing => ({
  name: `create: ${name}`,
  most,
  status,
  request: (n, at) => post(path, body(n, at)),
})

/** A request to a config map that grows itself. */
export const withMap = (
  name: string,
  most: number,
  before: Made,
  request: (n: number, path: string, name: string) => GrowingRequest,
  status = 200,
): Growing => ({
  name,
  most,
  status,
  before: (n, at) => [post(`${core}/configmaps`, before(n, at))],
  request: (n, at) => request(n, `${core}/configmaps/${at}`, at),
})

/** A request to a deployment that grows itself. */
export const withDeployment = (
  name: string,
  most: number,
  before: Made,
  request: (n: number, path: string, name: string) => GrowingRequest,
  status = 200,
): Growing => ({
  name,
  most,
  status,
  before: (n, at) => [post(`${apps}/deployments`, before(n, at))],
  request: (n, at) => request(n, `${apps}/deployments/${at}`, at),
})

/** An object of so many keys that are made of their number. */
export function entriesOf(n: number, key: (at: number) => string, value: unknown = {}): object {
  return Object.fromEntries(times(n, (at) => [key(at), value]))
}
