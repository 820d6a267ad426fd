import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { removals } from '../../../../generated/removals.ts'
import { scheme as generated } from '../../../../generated/scheme.ts'
import { servableScheme } from '../../../../runtime/apiserver/capabilities.ts'
import { servedScheme } from '../../../../runtime/apiserver/served-scheme.ts'
import type { Log } from '../../../../runtime/observe/observe.ts'
import { deprecations } from '../../../../runtime/server/discovery/deprecated-apis.ts'
import type { CompletedRequest } from '../../../../runtime/server/server.ts'
import { fits, startTestServer } from '../harness.ts'
import { factsOf, scheme } from '../scheme.ts'

const test = suite('runtime/server: deprecated and removed APIs')

// F-09
test('a deprecated kind has its text, as far as its parts are known', () => {
  const { of } = deprecations({ ...scheme, removals })
  const kind = factsOf({
    group: 'flowcontrol.apiserver.orch.io',
    version: 'v1beta3',
    kind: 'FlowSchema',
    plural: 'flowschemas',
  })
  assert.equal(of(kind), {
    warning:
      'flowcontrol.apiserver.orch.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; ' +
      'use flowcontrol.apiserver.orch.io/v1 FlowSchema',
    removedRelease: '1.32',
    annotations: { 'orch.io/deprecated': 'true', 'orch.io/removed-release': '1.32' },
  })
  assert.is(of(factsOf({ kind: 'Pod', plural: 'pods' })), undefined)
})

const api = 'orch.io'
/** Statement, group version, plural and what to use instead: the rows of the table of removals. */
const rows: readonly (readonly [id: string, version: string, plural: string, use: string])[] = [
  [
    'A9.25',
    `flowcontrol.apiserver.${api}/v1beta2`,
    'flowschemas',
    `flowcontrol.apiserver.${api}/v1`,
  ],
  ['A9.26', `storage.${api}/v1beta1`, 'csistoragecapacities', `storage.${api}/v1`],
  [
    'A9.27',
    `flowcontrol.apiserver.${api}/v1beta1`,
    'flowschemas',
    `flowcontrol.apiserver.${api}/v1`,
  ],
  ['A9.28', 'autoscaling/v2beta2', 'horizontalpodautoscalers', 'autoscaling/v2'],
  ['A9.29', 'batch/v1beta1', 'cronjobs', 'batch/v1'],
  ['A9.30', `discovery.${api}/v1beta1`, 'endpointslices', `discovery.${api}/v1`],
  ['A9.31', `events.${api}/v1beta1`, 'events', `events.${api}/v1`],
  ['A9.32', 'autoscaling/v2beta1', 'horizontalpodautoscalers', 'autoscaling/v2'],
  ['A9.33', 'policy/v1beta1', 'poddisruptionbudgets', 'policy/v1'],
  ['A9.34', 'policy/v1beta1', 'podsecuritypolicies', 'the built-in pod security admission'],
  ['A9.35', `node.${api}/v1beta1`, 'runtimeclasses', `node.${api}/v1`],
  [
    'A9.36',
    `admissionregistration.${api}/v1beta1`,
    'mutatingwebhookconfigurations',
    `admissionregistration.${api}/v1`,
  ],
  ['A9.37', `apiextensions.${api}/v1beta1`, 'customresourcedefinitions', `apiextensions.${api}/v1`],
  ['A9.38', `apiregistration.${api}/v1beta1`, 'apiservices', `apiregistration.${api}/v1`],
  ['A9.39', `authentication.${api}/v1beta1`, 'tokenreviews', `authentication.${api}/v1`],
  ['A9.40', `authorization.${api}/v1beta1`, 'subjectaccessreviews', `authorization.${api}/v1`],
  ['A9.41', `certificates.${api}/v1beta1`, 'certificatesigningrequests', `certificates.${api}/v1`],
  ['A9.42', `coordination.${api}/v1beta1`, 'leases', `coordination.${api}/v1`],
  ['A9.43', 'extensions/v1beta1', 'ingresses', `networking.${api}/v1`],
  ['A9.44', `networking.${api}/v1beta1`, 'ingressclasses', `networking.${api}/v1`],
  ['A9.45', `rbac.authorization.${api}/v1beta1`, 'roles', `rbac.authorization.${api}/v1`],
  ['A9.46', `scheduling.${api}/v1beta1`, 'priorityclasses', `scheduling.${api}/v1`],
  ['A9.47', `storage.${api}/v1beta1`, 'csidrivers', `storage.${api}/v1`],
  ['A9.48', 'extensions/v1beta1', 'networkpolicies', `networking.${api}/v1`],
  ['A9.49', 'apps/v1beta2', 'daemonsets', 'apps/v1'],
  ['A9.50', 'apps/v1beta1', 'deployments', 'apps/v1'],
  ['A9.51', 'apps/v1beta2', 'statefulsets', 'apps/v1'],
  ['A9.52', 'extensions/v1beta1', 'podsecuritypolicies', 'the built-in pod security admission'],
]

const logged: unknown[] = []
const log: Log = {
  debugging: false,
  debug() {},
  info() {},
  warn: (event, facts) => void logged.push([event, facts?.instead]),
  error() {},
}
const served: CompletedRequest[] = []
/** Config maps are deprecated here, so that there is something to ask for. */
const configMaps = {
  group: '',
  version: 'v1',
  deprecated: '1.28',
  removed: '1.31',
  resources: { configmaps: 'ConfigMap' },
}
const wire = await startTestServer({
  log,
  scheme: {
    ...servedScheme(servableScheme(generated), []).scheme,
    removals: [...removals, configMaps],
  },
  onRequestCompleted: (one) => void served.push(one),
})
test.after(() => wire.stop())

// D-20
for (const [id, version, plural, use] of rows) {
  test(`${id}: ${version} ${plural} is a 404 that says what to use, in header and log`, async () => {
    logged.length = 0
    const reply = await wire.request({ path: `/apis/${version}/namespaces/default/${plural}` })
    fits(reply, { status: 404 })
    assert.match(String(reply.headers.warning), `299 - "${version} `)
    assert.match(String(reply.headers.warning), `; use ${use}`)
    assert.is(logged.length, 1)
    assert.match(JSON.stringify(logged), `; use ${use}`)
  })
}

test('a removed version is in no discovery document', async () => {
  const { text } = await wire.request({ path: '/apis' })
  assert.not.match(text, 'v1beta1')
  fits(await wire.request({ path: '/apis/policy/v1beta1' }), {
    status: 404,
    headers: {
      warning:
        '299 - "policy/v1beta1 PodDisruptionBudget is not served since v1.25; use policy/v1 PodDisruptionBudget, ' +
        'there since v1.21; policy/v1beta1 PodSecurityPolicy is not served since v1.25; use the built-in pod ' +
        'security admission or an admission webhook"',
    },
  })
})

// A6.7, A9.23, D-16, U-04
test('a deprecated API warns, is annotated for the audit and is counted', async () => {
  served.length = 0
  const reply = await wire.request({ path: '/api/v1/namespaces/default/configmaps' })
  fits(reply, {
    status: 200,
    headers: {
      warning: '299 - "v1 ConfigMap is deprecated in v1.28+, unavailable in v1.31+"',
    },
  })
  assert.equal(served[0]?.annotations, {
    'orch.io/deprecated': 'true',
    'orch.io/removed-release': '1.31',
    'authorization.orch.io/decision': 'allow',
    'authorization.orch.io/reason': '',
  })
  const { text } = await wire.request({ path: '/metrics' })
  assert.match(
    text,
    'apiserver_requested_deprecated_apis{group="",version="v1",resource="configmaps",subresource="",removed_release="1.31"} 1\n',
  )
})

test('a warning of the server comes beside those of the object', async () => {
  const body = { metadata: { name: 'two' }, nonsense: 1 }
  const { headers } = await wire.request({
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    body,
  })
  assert.match(String(headers.warning), 'is deprecated in v1.28+')
  assert.match(String(headers.warning), 'unknown field \\"nonsense\\"')
})

test.run()
