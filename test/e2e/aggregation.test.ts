/** kubectl works with the kinds of another server, which is a second one of ours behind a service (B-01 to B-04). */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ApiServerOptions,
  type RunningApiServer,
  startApiServer,
} from '../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { compiledScheme } from '../../tools/orch/compiled-scheme.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, kubectl } from '../support/kubectl.ts'
import { tempDirectory } from '../support/temp.ts'
import { clientPair, newAuthority, serverPair } from '../support/tls.ts'
import { until } from '../support/until.ts'

const tests = suite('e2e: kinds of another server')
const binary = defaultKubectl()
const home = tempDirectory()
const kubeconfig = join(home, 'kubeconfig')
const group = 'lights.example.com'

const scheme = (await compiledScheme(
  { platform: 'schemas/platform/kubernetes.yaml' },
  console.error,
))!
const serving = await newAuthority()
const proxies = await newAuthority('proxies')
const certificate = await serverPair(serving, ['lights.default.svc'])

let front: RunningApiServer
let back: RunningApiServer

const start = (options: Partial<ApiServerOptions>): Promise<RunningApiServer> =>
  startApiServer({
    ...{ scheme, clock: systemClock, log: silentLog, storage: { kind: 'memory' } },
    ...options,
  })

/** The other server: it knows the proxy by its certificate, and takes its word for who asks; other requests are refused. */
async function startBack(port = 0): Promise<RunningApiServer> {
  const started = await start({
    secure: {
      port,
      certificate,
      requestHeader: {
        authorities: { pem: proxies.cert },
        allowedNames: ['front-proxy'],
        usernameHeaders: ['X-Remote-User'],
        groupHeaders: ['X-Remote-Group'],
        extraHeaderPrefixes: ['X-Remote-Extra-'],
      },
    },
    authentication: { anonymous: false },
  })
  await ask(started, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `lamps.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', shortNames: ['lp'] },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: lampSchema } },
          additionalPrinterColumns: [{ name: 'Watts', type: 'integer', jsonPath: '.spec.watts' }],
        },
      ],
    },
  })
  await until('the kind is served', async () =>
    (await ask(started, 'GET', '/apis')).includes(group),
  )
  return started
}

const lampSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      description: 'What the lamp is to be.',
      properties: { watts: { type: 'integer', minimum: 1, description: 'How bright it is.' } },
    },
  },
}

async function ask(
  server: RunningApiServer,
  method: string,
  path: string,
  value?: object,
): Promise<string> {
  const headers = value === undefined ? {} : { 'content-type': 'application/json' }
  const body = value === undefined ? {} : { body: JSON.stringify(value) }
  const answer = await server.dispatch({ method, path, headers, ...body })
  const parts: Uint8Array[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts).toString()
}

const lamp = (name: string, watts: number) =>
  JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Lamp', metadata: { name }, spec: { watts } })

if (binary === undefined) {
  console.log('SKIP kinds of another server: there is no kubectl in PATH')
} else {
  const ctl = kubectl(binary, kubeconfig, home)

  tests.before(async () => {
    back = await startBack()
    const pair = await clientPair(proxies, 'front-proxy')
    front = await start({ listen: { port: 0 }, aggregation: { certificate: pair } })
    const cluster = { name: 'front', cluster: { server: front.url } }
    const context = { name: 'front', context: { cluster: 'front', user: 'none' } }
    const config = { apiVersion: 'v1', kind: 'Config', 'current-context': 'front' }
    const lists = { clusters: [cluster], contexts: [context], users: [{ name: 'none', user: {} }] }
    await writeFile(kubeconfig, JSON.stringify({ ...config, ...lists }))
  })
  tests.after(async () => {
    await front.stop()
    await back.stop()
  })

  tests('who registers the other server sees when it is there (B-01, B-02)', async () => {
    await ctl.ok('create service externalname lights --external-name localhost')
    const object = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}` },
      spec: {
        ...{ group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
        caBundle: Buffer.from(serving.cert).toString('base64'),
        service: { namespace: 'default', name: 'lights', port: Number(new URL(back.url).port) },
      },
    }
    await ctl.ok('apply -f -', JSON.stringify(object))
    await ctl.ok(`wait --for=condition=Available ${hangFlag} apiservice/v1.${group}`)
    assert.match(
      await ctl.ok(`get apiservice v1.${group} --no-headers`),
      /^v1\.lights\.example\.com +default\/lights +True +\d+\w*\n$/,
    )
  })

  tests('its kinds are listed, explained and checked like any other (B-04)', async () => {
    await until('its resources are known', async () =>
      (await ctl.ok('api-resources --no-headers')).includes('lamps'),
    )
    assert.match(
      await ctl.ok(`api-resources --api-group ${group} --no-headers`),
      /^lamps +lp +lights\.example\.com\/v1 +true +Lamp\n$/,
    )
    await until('its schemas are known', async () =>
      (await ctl.ok('get --raw /openapi/v3')).includes(`apis/${group}/v1`),
    )
    assert.match(await ctl.ok('explain lamp.spec'), 'How bright it is.')
    const swagger = JSON.parse(await ctl.ok('get --raw /openapi/v2'))
    assert.ok(`/apis/${group}/v1/namespaces/{namespace}/lamps` in swagger.paths)
    assert.ok('com.example.lights.v1.Lamp' in swagger.definitions)
    assert.ok('io.k8s.api.apps.v1.Deployment' in swagger.definitions)
  })

  tests('its objects are applied, shown, watched and deleted (B-03)', async () => {
    assert.match(await ctl.ok('apply -f -', lamp('one', 40)), 'lamp.lights.example.com/one created')
    assert.match(await ctl.ok('apply -f -', lamp('one', 60)), 'configured')
    assert.match(
      await ctl.ok('apply --server-side --force-conflicts -f -', lamp('one', 75)),
      'applied',
    )
    assert.match(await ctl.ok('get lp one'), /^NAME +WATTS\none +75\n$/)
    const { code, stderr } = await ctl.run('apply -f -', lamp('bad', 0))
    assert.is(code, 1)
    assert.match(stderr, 'spec.watts: Invalid value: 0: spec.watts in body should be greater than')
    const watch = ctl.follow('get lamps --watch --output name')
    await watch.printed(/lamp\.lights\.example\.com\/one/)
    await ctl.ok('create -f -', lamp('two', 5))
    await watch.printed(/lamp\.lights\.example\.com\/two/)
    await watch.stop()
    assert.match(await ctl.ok('delete lamps --all'), 'lamp.lights.example.com "two" deleted')
  })

  tests('while it is away its kinds are, and nothing else; then it is back (B-03)', async () => {
    const port = Number(new URL(back.url).port)
    await back.stop()
    await ctl.ok(`annotate apiservice v1.${group} away=yes`)
    await ctl.ok(`wait --for=condition=Available=false ${hangFlag} apiservice/v1.${group}`)
    const { code, stderr } = await ctl.run('get lamps')
    assert.is(code, 1)
    assert.match(stderr, /the server is currently unable to handle the request|resource type/)
    assert.match(await ctl.ok('get services kubernetes --output name'), 'service/kubernetes')
    back = await startBack(port)
    await ctl.ok(`wait --for=condition=Available ${hangFlag} apiservice/v1.${group}`)
    assert.is((await ctl.ok('get lamps.v1.lights.example.com --output name')).trim(), '')
  })

  tests('without its object the kinds are gone', async () => {
    await ctl.ok(`delete apiservice v1.${group}`)
    await until('the group is gone', async () => !(await ctl.ok('get --raw /apis')).includes(group))
    const { stderr } = await ctl.run(`get --raw /apis/${group}/v1`)
    assert.match(stderr, 'NotFound')
  })
}

tests.run()
