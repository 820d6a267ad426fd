/** What servers say of themselves: discovery, OpenAPI, versions, and answers to paths and verbs that do not exist. */
import type { Scenario, ScenarioClass, Step } from '../scenario.ts'
import { collectionPath, servedKinds } from './kind-samples.ts'

/** Prose is in words of our own. */
const ignores = ['description']
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

/** Discovery, schemas, lists and tables: everything that is read without having been written. */
export const documents: ScenarioClass = {
  name: 'documents',
  about: 'discovery, OpenAPI, tables, and answers to what does not exist',
  prepare: ({ api, namespace }) => {
    const groups = api.groups.filter(({ group }) => group !== '')
    const versions = groups.flatMap(({ group, versions, off }) =>
      versions.filter((version) => !off.includes(version)).map((version) => `${group}/${version}`),
    )
    const kinds = servedKinds(api).filter(({ verbs }) => verbs.includes('list'))
    const get = (path: string, more: Partial<Step> = {}, subject = path): Scenario => ({
      subject,
      steps: [{ method: 'GET', path, ...more }],
    })
    const all = [
      ...[
        '/',
        '/api',
        '/apis',
        '/version',
        '/api/v1',
        '/openapi/v3',
        '/healthz',
        '/livez',
        '/readyz',
        '/nowhere',
      ].map((path) => get(path)),
      ...['/api', '/apis'].map((path) => get(path, { accept: aggregated })),
      get('/openapi/v2', { ignores }),
      ...groups.map(({ group }) => get(`/apis/${group}`)),
      ...versions.map((version) => get(`/apis/${version}`)),
      ...['api/v1', 'apis', ...versions.map((version) => `apis/${version}`)].map((name) =>
        get(`/openapi/v3/${name}`, { ignores }),
      ),
      ...versions.flatMap((version) => [
        get(`/apis/${version}/nowhere`, {}, 'no such resource'),
        get(`/apis/${version.split('/')[0]}/v9`, {}, 'no such version'),
      ]),
      ...kinds.flatMap((kind) => requestsOf(collectionPath(kind, `${namespace}-empty`), kind.kind)),
    ]
    return (_random, _name, index) => all[index % all.length] as Scenario
  },
}

/** A selector that no object matches: other clients of the reference make objects of cluster scope. */
const noMatch = { labelSelector: 'compare=none' }

/** Requests to one collection without objects, most of them wrong in some way. */
function requestsOf(path: string, kind: string): readonly Scenario[] {
  const absent = `${path}/absent`
  const requests: readonly (readonly [string, Step])[] = [
    [`list of ${kind}`, { method: 'GET', path, query: noMatch }],
    [`table of ${kind}`, { method: 'GET', path, query: noMatch, accept: table, ignores }],
    ...Object.entries(listOptions).map(([name, query]): [string, Step] => [
      `list with ${name}`,
      { method: 'GET', path, query: { ...noMatch, ...query } },
    ]),
    ['get of what is absent', { method: 'GET', path: absent }],
    ['get of no subresource', { method: 'GET', path: `${absent}/nothing` }],
    ['put to a collection', { method: 'PUT', path, body: {} }],
    ['post to an object', { method: 'POST', path: absent, body: {} }],
    ['delete of what is absent', { method: 'DELETE', path: absent }],
    [
      'patch of what is absent',
      { method: 'PATCH', path: absent, type: 'application/merge-patch+json', body: {} },
    ],
    ['patch of no type', { method: 'PATCH', path: absent, type: 'text/plain', text: '{}' }],
    ['post of nothing', { method: 'POST', path, body: {} }],
    ['post of half an object', { method: 'POST', path, text: '{' }],
    ['post of no object', { method: 'POST', path, text: '[]' }],
    ['post of YAML', { method: 'POST', path, type: 'application/yaml', text: 'a: [' }],
    ['post of text', { method: 'POST', path, type: 'text/plain', text: 'x' }],
    [
      'post to another namespace',
      { method: 'POST', path, body: { metadata: { namespace: 'other' } } },
    ],
  ]
  return requests.map(([subject, step]) => ({ subject, steps: [step] }))
}

/** Options of a list, by what they are called in a scenario. */
const listOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'limit 1': { limit: '1' },
  'limit -1': { limit: '-1' },
  'limit x': { limit: 'x' },
  'revision 0': { resourceVersion: '0' },
  'revision x': { resourceVersion: 'x' },
  'revision of the future': { resourceVersion: '9000000000000000000' },
  'a match without a revision': { resourceVersionMatch: 'Exact' },
  'an unknown match': { resourceVersion: '1', resourceVersionMatch: 'Maybe' },
  'a wrong label selector': { labelSelector: 'a in (,' },
  'a wrong field selector': { fieldSelector: 'a' },
  'an unknown field': { fieldSelector: 'spec.nothing=1' },
  'a continue token of nonsense': { continue: 'nonsense' },
  'an unknown parameter': { unknown: '1' },
  'initial events without watch': { sendInitialEvents: 'true' },
}
