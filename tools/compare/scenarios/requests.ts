/** Requests to every route, with options, media types, paths, methods and bodies that are right or wrong. */
import type { Api, KindFacts } from '../../../codegen/schema/ir.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'
import type { Method, Scenario, ScenarioClass, Step } from '../scenario.ts'
import { collectionPath, kindSamples, servedKinds } from './kind-samples.ts'
import { forcedAway } from './objects.ts'
import { accepts, bodies, headers, optionValues, types } from './odd-requests.ts'
import { inOwnNamespace } from './own-namespace.ts'

/** Any method on any path with any option: what is refused, and how. */
export const requests: ScenarioClass = {
  name: 'requests',
  about:
    'every route with options, media types, headers, paths, methods and bodies, right and wrong',
  prepare: ({ api, namespace }) => {
    const routes = routesOf(api, namespace)
    return (random, name) => {
      const route = random.pick(routes)
      const { sample } = route
      if (sample !== undefined && random.chance(0.4)) {
        if (!actsOnOthers.test(route.about)) return onObject(route, sample, random, name)
        return inOwnNamespace(namespace, name, (own) =>
          onObject(
            { ...route, path: route.path.replace(`/${namespace}/`, `/${own}/`) },
            sample,
            random,
            name,
          ),
        )
      }
      return { subject: route.about, steps: [request(route, random, name)] }
    }
  },
}

/** Kinds whose objects change what becomes of other requests in their namespace. */
const actsOnOthers = /^(ResourceQuota|LimitRange)\./

/** A path with what may be done there to a server that others use, too. */
interface Route {
  readonly about: string
  readonly path: string
  /** Writes change nothing but what stands in the namespace of the comparison. */
  readonly mayWrite: boolean
  /** Its answer to a read differs with what others do: status and headers are compared. */
  readonly shared: boolean
  /** An object that is made there before the request is sent to it. */
  readonly sample?: JsonObject
}

/** Paths that are no resources. */
const fixed: readonly string[] = [
  '/',
  '/api',
  '/apis',
  '/api/v1',
  '/apis/apps',
  '/apis/apps/v1',
  '/apis/nothing.example.com',
  '/apis/nothing.example.com/v1',
  '/apis/apps/v9',
  '/api/v9',
  '/apis/apps/v1/nothing',
  '/api/v1/namespaces/default/nothing',
  '/version',
  '/healthz',
  '/livez',
  '/readyz',
  '/livez/ping',
  '/readyz/nothing',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/apis/apps/v1',
  '/openapi/v3/apis/nothing/v1',
  '/openapi',
  '/swagger.json',
  '/nothing',
  '/api/v1/watch/namespaces',
  '/api/v1/proxy/nodes/x',
]

/** Documents whose text is compared elsewhere, or that is a server's own. */
const ownWords = /^\/(openapi|version|$)/

/** All that can be asked: documents, and the paths of each kind. */
function routesOf(api: Api, namespace: string): readonly Route[] {
  const documents = fixed.map((path) => ({
    about: path,
    path,
    mayWrite: false,
    shared: ownWords.test(path),
  }))
  const samples = new Map(
    kindSamples(api).map(({ kind, samples: [sample] }) => [kind, sample] as const),
  )
  return [
    ...documents,
    ...servedKinds(api).flatMap((kind) => kindRoutes(kind, namespace, samples.get(kind))),
  ]
}

/** Collection, object and subresources of a kind. */
function kindRoutes(
  kind: KindFacts,
  namespace: string,
  sample: JsonObject | undefined,
): readonly Route[] {
  const collection = collectionPath(kind, namespace)
  const empty = collectionPath(kind, `${namespace}-absent`)
  const namespaced = kind.scope === 'Namespaced'
  const about = `${kind.kind}.${kind.version}.${kind.group}`
  const object = `${collection}/absent`
  const route = (suffix: string, path: string, more: Partial<Route> = {}): Route => ({
    about: `${about}${suffix}`,
    path,
    mayWrite: namespaced,
    shared: !namespaced,
    ...more,
  })
  return [
    route(' list', empty),
    route('', object, {
      mayWrite: true,
      shared: false,
      ...(namespaced && sample !== undefined && { sample }),
    }),
    ...kind.subresources.map(({ name }) =>
      route(`/${name}`, `${object}/${name}`, { mayWrite: true, shared: false }),
    ),
  ]
}

/** Those that are served, and some that are not. */
const methods: readonly Method[] = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'SEARCH',
]

/** One request that is odd in one to three ways. */
function request(route: Route, random: Random, name: string): Step {
  const method = random.pick(methods)
  const writes = method !== 'GET' && method !== 'HEAD'
  const safe = route.mayWrite || !writes || method === 'OPTIONS'
  const path = safe && random.chance(0.15) ? oddPath(route.path, random) : route.path
  const step: Step = { method: safe ? method : 'GET', path: withOptions(path, random, name) }
  return {
    ...step,
    ...(random.chance(0.3) && { accept: random.pick(accepts) }),
    ...(random.chance(0.15) && { headers: random.pick(headers) }),
    ...(step.method !== 'GET' &&
      random.chance(0.8) && {
        text: random.pick(bodies).replaceAll('$name', name),
        type: random.pick(types),
      }),
    ...((route.shared || streams(step)) && { headOnly: true as const }),
  }
}

/** A request for a stream, or for what a proxy of the reference may take long to answer. */
function streams({ path }: Step): boolean {
  return /[?&]watch=|\/watch\//.test(path)
}

/** None to three options behind the path; now and then one is there twice. */
function withOptions(path: string, random: Random, name: string): string {
  const query = new URLSearchParams()
  for (let count = random.pick([0, 1, 1, 1, 2, 3]); count > 0; count -= 1) {
    const option = random.pick(Object.keys(optionValues))
    for (let again = random.chance(0.05) ? 2 : 1; again > 0; again -= 1)
      query.append(option, random.pick(optionValues[option] ?? [name]))
  }
  return query.size === 0 ? path : `${path}?${query}`
}

/** A path with one of its parts changed. */
function oddPath(path: string, random: Random): string {
  const parts = path.split('/')
  const at = 1 + random.below(parts.length - 1)
  const part = parts[at] ?? ''
  const put = (text: string): string =>
    parts.map((one, index) => (index === at ? text : one)).join('/')
  return random.pick<() => string>([
    () => `${path}/`,
    () => `${path}//`,
    () => put(`/${part}`),
    () => put(`${part}/.`),
    () => put(`x/../${part}`),
    () => put(`${part}%2F`),
    () => put(`${part}%2f..`),
    () => put(`%${part.charCodeAt(0).toString(16)}${part.slice(1)}`),
    () => put(part.toUpperCase()),
    () => put(`${part}%20`),
    () => put(`${part}%C3%A9`),
    () => put(`${part}%FF`),
    () => put(`${part}%00`),
    () => put(`${part}%zz`),
    () => put(`${part}%`),
    () => put(`${part};a=b`),
    () => put(`${part}+b`),
    () => put(`${part}:b`),
    () => put('a'.repeat(300)),
    () => put('a'.repeat(5000)),
    () => `${path}/x/y/z`,
    () => `${path}?`,
    () => `${path}#x`,
  ])()
}

/** The request to an object that is there, and what became of the object. */
function onObject(route: Route, sample: JsonObject, random: Random, name: string): Scenario {
  const collection = route.path.slice(0, route.path.lastIndexOf('/'))
  const path = `${collection}/${name}`
  const { namespace: _, ...metadata } = sample.metadata as JsonObject
  const odd = request({ ...route, path }, random, name)
  return {
    subject: route.about,
    steps: [
      {
        method: 'POST',
        path: collection,
        body: { ...sample, metadata: { ...metadata, name } },
        silent: true,
      },
      odd,
      { method: 'GET', path },
      ...forcedAway(path),
    ],
  }
}
