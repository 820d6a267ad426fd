import type { Random } from '../../runtime/kernel/async/clock.ts'
import type { AnyKind } from '../../runtime/kernel/descriptors/kind.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import { isObject, type Json } from '../../runtime/kernel/values/json.ts'
import type { OddObjects } from './odd-objects.ts'

/** A request that nobody would send. */
export interface OddRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

/** What requests are made of. */
export interface Ingredients {
  readonly scheme: Scheme
  readonly random: Random
  /** Bodies that no object resembles. */
  readonly odd: OddObjects
  /** Objects that are there, to ask for and to send back changed. */
  readonly samples: readonly Json[]
}

const onItems = ['GET', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'DELETE', 'HEAD', 'POST']
const onCollections = ['GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'DELETE', 'OPTIONS', 'PUT']
const namespaces = [...Array(17).fill('default'), 'none', '__proto__', '%2e%2e']
const patches = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]
const others = ['/', '/api', '/apis', '/version', '/livez', '/readyz/ping', '/metrics', '/nothing']
const documents = ['/openapi/v3', '/openapi/v3/apis/apps/v1', '/openapi/v2', '/apis/apps', '/%zz']

/** Values that parameters may have, right and wrong ones. */
const parameters: Readonly<Record<string, readonly string[]>> = {
  allowWatchBookmarks: ['true', '0', ''],
  continue: [
    '',
    'abc',
    'eyJ2IjoibWV0YS92MSIsInJ2IjowfQ',
    'eyJ2IjoibWV0YS92MSIsInJ2IjoxLCJzdGFydCI6Ii4uIn0',
  ],
  dryRun: ['All', 'All', '', 'None'],
  exclude: ['ping', ''],
  fieldManager: ['me', 'you', '', '\u0000', 'x'.repeat(129)],
  fieldSelector: [
    'metadata.name=a',
    'metadata.name!=a',
    'spec.nodeName=',
    'x=y',
    '=',
    'a=b=c',
    ',',
  ],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
  force: ['true', 'false', '1', 'x'],
  gracePeriodSeconds: ['0', '1', '-1', 'x', '99999999999999999999'],
  includeObject: ['None', 'Metadata', 'Object', 'x'],
  labelSelector: ['a=b', 'a in (b,c)', '!a', 'a>1', 'a in (', '((', 'a b', ''],
  limit: ['0', '1', '2', '-1', 'x', '99999999999999999999'],
  orphanDependents: ['true', 'false'],
  pretty: ['true', '0', 'x'],
  propagationPolicy: ['Orphan', 'Background', 'Foreground', 'x'],
  resourceVersion: ['', '0', '1', 'x', '-1', '1e3'],
  resourceVersionMatch: ['', 'Exact', 'NotOlderThan', 'x'],
  sendInitialEvents: ['true', 'false', ''],
  timeout: ['1s', 'x', '0'],
  timeoutSeconds: ['1', '0', '-1', 'x'],
  verbose: [''],
  watch: ['1', '', '0'],
}

const accepts = [
  '',
  '*/*',
  'application/json',
  'application/yaml',
  'application/vnd.orch.protobuf',
  'application/json;as=Table;g=meta.orch.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.orch.io;v=v1',
  'application/vnd.orch.protobuf;as=PartialObjectMetadataList;g=meta.orch.io;v=v1',
  'application/json;g=apidiscovery.orch.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json;q=x',
  'text/html,,;;=',
]
const bodyTypes = ['application/json', 'application/yaml', 'application/vnd.orch.protobuf', '', 'x']
const leaves: readonly Json[] = [
  null,
  '',
  'x',
  0,
  -1,
  2 ** 53,
  1.5,
  true,
  [],
  {},
  [null],
  { a: [] },
]

/** Gives one request after another, the same ones for the same random numbers. */
export function oddRequests({ scheme, random, odd, samples }: Ingredients): () => OddRequest {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const kinds = Object.entries(scheme.routes).map(([route, kind]) => ({ route, kind }))
  const byKind = new Map<string, Json[]>()
  for (const sample of samples) {
    const { kind, apiVersion } = sample as { kind: string; apiVersion: string }
    const key = `${apiVersion} ${kind}`
    byKind.set(key, [...(byKind.get(key) ?? []), sample])
  }

  const samplesOfKind = (kind: AnyKind): readonly Json[] =>
    byKind.get(`${apiVersionOf(kind)} ${kind.kind}`) ?? []

  const filled = kinds.filter(({ kind }) => samplesOfKind(kind).length > 0)

  /** A copy in which one value, somewhere, is another one. */
  const spoilt = (value: Json, chance: number): Json => {
    if (random() < chance) return pick(leaves)
    if (Array.isArray(value)) {
      if (value.length === 0) return random() < 0.2 ? [pick(leaves)] : value
      const at = Math.floor(random() * value.length)
      const changed = value.map((item, n) => (n === at ? spoilt(item, chance + 0.1) : item))
      return random() < 0.1 ? [...changed, ...changed] : changed
    }
    if (typeof value !== 'object' || value === null) return random() < 0.5 ? pick(leaves) : value
    const fields = Object.entries(value)
    if (fields.length === 0 || random() < 0.05) return { ...value, [pick(odds)]: pick(leaves) }
    const at = Math.floor(random() * fields.length)
    return Object.fromEntries(
      fields.map(([key, inner], n) => [
        key,
        n === at ? spoilt(inner as Json, chance + 0.1) : inner,
      ]),
    )
  }

  const bodyOf = (kind: AnyKind): Json => {
    const known = samplesOfKind(kind)
    const base = known.length > 0 && random() < 0.7 ? pick(known) : (odd(kind.kind, random) as Json)
    const named = { kind: kind.kind, apiVersion: apiVersionOf(kind), ...(base as object) } as Json
    return random() < 0.75 ? spoilt(named, 0.02) : named
  }

  const jsonPatch = (kind: AnyKind): Json => {
    const base = bodyOf(kind)
    return Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
      const path = pointerInto(base, random, pick)
      const from = pointerInto(base, random, pick)
      return {
        op: pick(['add', 'replace', 'remove', 'test', 'copy', 'move', 'x']),
        path,
        from,
        value: pick(leaves),
      }
    })
  }

  const strategic = (kind: AnyKind): Json => {
    const value = bodyOf(kind)
    if (!isObject(value)) return value
    const directive = pick([
      { $patch: 'replace' },
      { $patch: 'delete' },
      { $retainKeys: ['a'] },
      { '$setElementOrder/containers': [{ name: 'a' }] },
      { '$deleteFromPrimitiveList/finalizers': ['x'] },
      { $patch: 1 },
    ]) as Record<string, Json>
    return random() < 0.5
      ? value
      : { ...value, spec: { ...(value.spec as object | undefined), ...directive } }
  }

  const bytesOf = (value: Json): Uint8Array | string => {
    const text = JSON.stringify(value)
    if (random() < 0.94) return text
    const bytes = Buffer.from(text)
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    return bytes.subarray(0, random() < 0.3 ? Math.floor(random() * bytes.length) : undefined)
  }

  const sent = (method: string, kind: AnyKind): Pick<OddRequest, 'headers' | 'body'> => {
    if (method === 'GET' || method === 'HEAD') return { headers: {} }
    if (method === 'DELETE') {
      const options = {
        propagationPolicy: pick(['Orphan', 'Foreground', 'x', 'Background']),
        preconditions: pick(leaves),
      }
      return random() < 0.5 ? { headers: {} } : { headers: {}, body: bytesOf(options) }
    }
    if (method !== 'PATCH') {
      return { headers: { 'content-type': pick(bodyTypes) }, body: bytesOf(bodyOf(kind)) }
    }
    const type = pick(patches)
    const value =
      type === patches[0] ? jsonPatch(kind) : type === patches[2] ? strategic(kind) : bodyOf(kind)
    return { headers: { 'content-type': type }, body: bytesOf(value) }
  }

  const pathOf = (route: string, kind: AnyKind): { path: string; item: boolean } => {
    const slash = route.lastIndexOf('/')
    const [version, plural] = [route.slice(0, slash), route.slice(slash + 1)]
    const watch = random() < 0.01 ? '/watch' : ''
    const inside =
      kind.scope === 'Cluster' || random() < 0.05 ? '' : `/namespaces/${pick(namespaces)}`
    const known = samplesOfKind(kind).map(nameOf)
    const name =
      random() < 0.75
        ? `/${pick(random() < 0.93 && known.length > 0 ? known : ['odd', 'a%2Fb', '__proto__'])}`
        : ''
    const sub = name !== '' && random() < 0.2
    const own = kind.subresources.map((one) => one.name)
    const below = own.length > 0 && random() < 0.9 ? own : ['status', 'scale', 'constructor']
    const path = `/${version}${watch}${inside}/${plural}${name}${sub ? `/${pick(below)}` : ''}`
    return { path, item: name !== '' }
  }

  return () => {
    const { route, kind } = pick(random() < 0.9 ? filled : kinds)
    const elsewhere = random() < 0.03
    const { path, item } = elsewhere
      ? { path: pick([...others, ...documents]), item: random() < 0.5 }
      : pathOf(route, kind)
    const method = pick(item ? onItems : onCollections)
    const { headers, body } = sent(method, kind)
    const names = Object.keys(parameters).filter(() => random() < 0.04)
    if (headers['content-type'] === patches[3] && random() < 0.9) names.push('fieldManager')
    const query = names.map((name) => `${name}=${encodeURIComponent(pick(parameters[name] ?? []))}`)
    return {
      method,
      path: query.length === 0 ? path : `${path}?${query.join('&')}`,
      headers: {
        ...headers,
        ...(random() < 0.2 && { accept: pick(accepts) }),
        ...(random() < 0.03 && { 'if-match': pick(['"1"', '*', 'x', '']) }),
        ...(random() < 0.05 && { 'accept-encoding': 'gzip' }),
      },
      ...(body !== undefined && { body }),
    }
  }
}

const odds = ['__proto__', 'constructor', '', 'a/b', '$patch', 'metadata', '0', '~', '.']

function nameOf(sample: Json): string {
  const { metadata } = sample as { metadata?: { name?: string } }
  return encodeURIComponent(metadata?.name ?? 'odd')
}

function pointerInto(value: Json, random: Random, pick: <T>(values: readonly T[]) => T): string {
  let path = ''
  let at: Json | undefined = value
  while (typeof at === 'object' && at !== null && random() < 0.8) {
    const keys = [...Object.keys(at), pick(['-', '-1', '0', '99', '__proto__', '', '~0', '~2'])]
    const key: string = random() < 0.9 ? (keys[Math.floor(random() * keys.length)] ?? '') : 'x'
    path += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    at = Object.hasOwn(at, key) ? (at as Readonly<Record<string, Json>>)[key] : undefined
  }
  return random() < 0.02 ? path.slice(1) : path
}
