/**
 * Requests that go on to nodes, pods and services: what they are refused with in the words of release 1.29, how services are reached, and that
 * admission and audit see them (I-06).
 */
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CustomServer, startCustom } from '../../support/custom.ts'
import { outerAddress } from '../../support/outer-address.ts'
import { until } from '../../support/until.ts'

const tests = suite('apiserver: connections')
const base = '/api/v1/namespaces/default'
const records: string[] = []
const address = outerAddress()
const withAddress = address === undefined ? tests.skip : tests
if (address === undefined) console.log('SKIP services behind an address: this machine has none')

let custom: CustomServer
let backend: Server
let port: number

tests.before(async () => {
  custom = await startCustom({
    gates: new Set(['ValidatingAdmissionPolicy']),
    runtimeConfig: ['admissionregistration.orch.io/v1beta1=true'],
    audit: {
      policy: { rules: [{ level: 'Metadata', omitStages: ['RequestReceived'] }] },
      log: { output: (line) => void records.push(line) },
    },
  })
  const pod = (name: string, more: object = {}) => ({
    metadata: { name },
    spec: {
      ...{ automountServiceAccountToken: false, containers: [{ name: 'a', image: 'x' }] },
      ...more,
    },
  })
  const several = {
    containers: ['a', 'b'].map((name) => ({ name, image: 'x' })),
    initContainers: [{ name: 'i', image: 'x' }],
  }
  await made('serviceaccounts', { metadata: { name: 'default' } })
  await made('pods', pod('unbound', several))
  await made('pods', pod('lost', { nodeName: 'nowhere' }))
  const ports = [
    { name: 'a', port: 80 },
    { name: 'b', port: 81 },
  ]
  await made('services', { metadata: { name: 'two' }, spec: { ports } })
  await made('services', { metadata: { name: 'idle' }, spec: { ports: [{ port: 80 }] } })
  await made('endpoints', { metadata: { name: 'idle' } })
  backend = createServer(({ method, url = '', headers }, response) => {
    const [, to] = /^\/moved\?(.*)/.exec(url) ?? []
    if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) })
    const { host, 'x-forwarded-uri': forwarded } = headers
    response.end(url === '/told' ? `${host} ${forwarded}` : `${method} ${url}`)
  })
  await new Promise<void>((resolve) => backend.listen(0, address ?? '127.0.0.1', resolve))
  port = (backend.address() as AddressInfo).port
  const ip = address ?? '192.0.2.1'
  for (const [name, own] of [
    ['behind', ip],
    ['loops', '127.0.0.1'],
    ['metadata', '169.254.169.254'],
    ['nowhere', '0.0.0.0'],
  ] as const) {
    await made('pods', pod(name, { nodeName: 'lost' }))
    await patched(`${base}/pods/${name}`, { podIP: own, podIPs: [{ ip: own }] })
  }
  const behind = { namespace: 'default', name: 'behind' }
  const rows: readonly (readonly [service: string, ip: string, targetRef: object | undefined])[] = [
    ['served', ip, behind],
    ['unowned', ip, undefined],
    ['foreign', ip, { namespace: 'other', name: 'behind' }],
    ['absent-pod', ip, { namespace: 'default', name: 'absent' }],
    ['elsewhere', '192.0.2.1', behind],
  ]
  for (const [name, own, targetRef] of rows) {
    await made('services', { metadata: { name }, spec: { ports: [{ name: 'a', port: 80 }] } })
    const addresses = [{ ip: own, ...(targetRef && { targetRef: { kind: 'Pod', ...targetRef } }) }]
    const subsets = [{ addresses, ports: [{ name: 'a', port }] }]
    await made('endpoints', { metadata: { name }, subsets })
  }
  const subsets = [
    { addresses: [{ ip, targetRef: { kind: 'Pod', ...behind } }], ports: [{ port: 1 }] },
  ]
  await made('services', { metadata: { name: 'closed' }, spec: { ports: [{ port: 80 }] } })
  await made('endpoints', { metadata: { name: 'closed' }, subsets })
  const { status, text } = await custom.ask('POST', '/api/v1/nodes', { metadata: { name: 'n' } })
  assert.is(status, 201, text)
})
tests.after(async () => {
  backend.close()
  await custom.stop()
})

async function made(plural: string, object: object): Promise<void> {
  const { status, text } = await custom.ask('POST', `${base}/${plural}`, object)
  assert.is(status, 201, text)
}

async function patched(path: string, status: object): Promise<void> {
  const type = 'application/merge-patch+json'
  const answer = await custom.ask('PATCH', `${path}/status`, { status }, type)
  assert.is(answer.status, 200, answer.text)
}

// What the reference answers, asked of it with the same objects.
const chooseOne = 'a container name must be specified for pod unbound, choose one of: [i a b]'
const noHost = 'pod unbound does not have a host assigned'
const once = 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified'
const options = 'PodLogOptions "unbound" is invalid:'
const rows: readonly (readonly [path: string, code: number, message: string])[] = [
  ['pods/unbound/log', 400, chooseOne],
  ['pods/unbound/log?container=zz', 400, 'container zz is not valid for pod unbound'],
  [
    'pods/unbound/log?container=a&tailLines=-1',
    422,
    `${options} tailLines: Invalid value: -1: must be greater than or equal to 0`,
  ],
  [
    'pods/unbound/log?container=a&sinceSeconds=0',
    422,
    `${options} sinceSeconds: Invalid value: 0: must be greater than 0`,
  ],
  [
    'pods/unbound/log?container=a&sinceSeconds=5&sinceTime=2024-01-01T00:00:00Z',
    422,
    `${options} []: ${once}`,
  ],
  [
    'pods/unbound/log?container=a&tailLines=x',
    400,
    'strconv.ParseInt: parsing "x": invalid syntax',
  ],
  ['pods/lost/log', 404, 'pods "nowhere" not found'],
  ['pods/absent/log', 404, 'pods "absent" not found'],
  ['pods/unbound/exec?command=ls', 400, chooseOne],
  ['pods/unbound/exec?container=a&command=ls&stdout=true', 400, noHost],
  ['pods/unbound/attach', 400, chooseOne],
  [
    'pods/unbound/portforward?ports=x',
    400,
    'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax',
  ],
  ['pods/unbound/portforward?ports=80', 400, noHost],
  ['pods/lost/portforward?ports=80', 404, 'pods "nowhere" not found'],
  ['pods/unbound/proxy/', 400, 'address not allowed'],
  ['pods/ftp:unbound:1/proxy/', 400, 'invalid pod request "ftp:unbound:1"'],
  ['services/two/proxy/', 404, 'services "two" not found'],
  ['services/two:zz/proxy/', 404, 'services "two" not found'],
  ['services/idle:99/proxy/', 503, 'no service port 99 found for service "idle"'],
  ['services/idle/proxy/', 503, 'no endpoints available for service "idle"'],
  ['services/absent/proxy/', 404, 'services "absent" not found'],
  ['services/a:b:c:d/proxy/', 400, 'invalid service request "a:b:c:d"'],
  // Nobody has the server ask its own machine, or whatever a written endpoint says.
  ['pods/loops:80/proxy/', 400, 'address not allowed'],
  ['pods/metadata:80/proxy/latest', 400, 'address not allowed'],
  ['pods/nowhere:80/proxy/', 400, 'address not allowed'],
  ...['unowned', 'foreign', 'absent-pod', 'elsewhere'].map(
    (name) =>
      [
        ...([`services/${name}:a/proxy/`, 503] as const),
        `no endpoints available for service "${name}:a"`,
      ] as const,
  ),
]
for (const [path, code, message] of rows) {
  tests(`${path} is answered with ${code}`, async () => {
    const { status, json } = await custom.ask('GET', `${base}/${path}`)
    assert.equal([status, json?.message], [code, message])
  })
}

tests('a pod that has no node yet has an empty log', async () => {
  const { status, text } = await custom.ask('GET', `${base}/pods/unbound/log?container=a`)
  assert.equal([status, text], [204, ''])
})

withAddress(
  'a service is reached at the address of its pod, by number and name of a port, or its only one',
  async () => {
    const asked = (path: string) => custom.ask('GET', `${base}/services/${path}`)
    for (const name of ['served:a', 'served:80', 'http:served:a']) {
      const { status, text } = await asked(`${name}/proxy/some/path?q=1`)
      assert.equal([status, text], [200, 'GET /some/path?q=1'])
    }
    const above = await askedRaw(`${base}/services/served:a/proxy/a/../b/./c/?q=..`)
    assert.is(above, 'GET /b/c/?q=..')
    const posted = await custom.ask('POST', `${base}/services/served:a/proxy/`, { some: 'body' })
    assert.is(posted.text, 'POST /')
    const refused = await asked('closed/proxy/')
    const where = `${address}:1: connect: connection refused`
    assert.equal(
      [refused.status, refused.json?.message],
      [503, `error trying to reach service: dial tcp ${where}`],
    )
    const plain = (await asked('https:served:a/proxy/')).json?.message
    assert.match(plain, 'tls: first record does not look like a TLS handshake')
  },
)

/** What is answered to a path as it is written. */
function askedRaw(path: string): Promise<string> {
  const { hostname: host, port: at } = new URL(custom.server.url)
  return new Promise((resolve, reject) => {
    const asked = get({ host, port: at, path, agent: false }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve(text)
    })
    asked.on('error', reject)
  })
}

withAddress('what is behind a path hears where it is, and leads on through it', async () => {
  const own = `${base}/services/served:a/proxy`
  const { host } = new URL(custom.server.url)
  const { text } = await custom.ask('GET', `${own}/told`)
  assert.is(text, `${host} ${own}/told`)
  const rows = [
    ['/login?a=1', `${own}/login?a=1`],
    [`http://${address}:${port}/whole/`, `${own}/whole/`],
    [`http://${host}/whole`, `http://${host}${own}/whole`],
    [`${own}/there`, `${own}/there`],
    ['beside', 'beside'],
    ['http://other.example/', 'http://other.example/'],
    ['//other.example/', '//other.example/'],
  ]
  for (const [link = '', moved] of rows) {
    const url = `${custom.server.url}${own}/moved?${encodeURIComponent(link)}`
    const answer = await fetch(url, { redirect: 'manual' })
    assert.equal([answer.status, answer.headers.get('location')], [302, moved])
  }
})

tests('a node is asked where it is, and not where this server is', async () => {
  const told = async (address: string, type: string, name = 'n') => {
    await patched('/api/v1/nodes/n', { addresses: [{ type, address }] })
    const { status, json, text } = await custom.ask('GET', `/api/v1/nodes/${name}/proxy/a`)
    return [status, json?.message ?? text]
  }
  for (const place of ['127.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', 'localhost']) {
    const type = place === 'localhost' ? 'InternalDNS' : 'InternalIP'
    for (const name of ['n', `n:${port}`, `http:n:${port}`]) {
      assert.equal(await told(place, type, name), [400, 'address not allowed'])
    }
  }
  if (address === undefined) return
  assert.equal(await told(address, 'InternalIP', `n:${port}`), [200, 'GET /a'])
})

tests('the audit records who connects, to what, and what came of it', async () => {
  await custom.ask('GET', `${base}/services/absent/proxy/there`)
  const found = await until('it is recorded', async () =>
    records
      .map((line) => JSON.parse(line))
      .find(({ requestURI }) => requestURI === `${base}/services/absent/proxy/there`),
  )
  const { resource, name, subresource } = found.objectRef
  assert.equal([resource, name, subresource], ['services', 'absent', 'proxy'])
  assert.equal([found.verb, found.responseStatus.code], ['get', 404])
})

tests('admission may refuse to connect, and sees what is asked for', async () => {
  const group = '/apis/admissionregistration.orch.io/v1beta1'
  const rule = {
    ...{ apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'] },
    resources: ['pods/exec', 'services/proxy'],
  }
  const policy = {
    metadata: { name: 'no-shells' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [
        {
          expression: "request.subResource != 'exec' || !('sh' in object.command)",
          message: 'no shells here',
        },
      ],
    },
  }
  const binding = {
    metadata: { name: 'no-shells' },
    spec: { policyName: 'no-shells', validationActions: ['Deny'] },
  }
  for (const [plural, object] of [
    ['validatingadmissionpolicies', policy],
    ['validatingadmissionpolicybindings', binding],
  ] as const) {
    const { status, text } = await custom.ask('POST', `${group}/${plural}`, object)
    assert.is(status, 201, text)
  }
  const asked = async (command: string) => {
    const path = `${base}/pods/unbound/exec?container=a&command=${command}&stdout=1`
    return (await custom.ask('POST', path)).json?.message ?? ''
  }
  await until('shells are refused', async () => (await asked('sh')).includes('no shells here'))
  assert.is(await asked('ls'), noHost)
  assert.is((await custom.ask('GET', `${base}/services/idle/proxy/`)).status, 503)
})

tests.run()
