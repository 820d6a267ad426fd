/** What /metrics of a whole server shows beside its requests. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { features } from '../../../generated/features.ts'
import { metrics as table } from '../../../generated/metrics.ts'
import { scheme } from '../../../generated/scheme.ts'
import {
  type ApiServerOptions,
  type RunningApiServer,
  startApiServer,
} from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { isServedBy } from '../../../runtime/kernel/descriptors/metric-facts.ts'
import { labelAllowList, silentLog } from '../../../runtime/observe/observe.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: metrics')

type Started = RunningApiServer & { readonly lines: () => Promise<readonly string[]> }

const servers: RunningApiServer[] = []
test.after.each(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

async function start(options: Partial<ApiServerOptions> = {}): Promise<Started> {
  const server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
    ...options,
  })
  servers.push(server)
  const lines = async () => (await (await fetch(`${server.url}/metrics`)).text()).split('\n')
  return { ...server, lines }
}

function post({ url }: Started, path: string, value: object) {
  return fetch(`${url}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  })
}

const about = (lines: readonly string[], name: string) =>
  lines.filter(
    (line) => line === name || line.startsWith(`${name}{`) || line.startsWith(`${name} `),
  )

const definition = {
  metadata: { name: 'sites.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'sites', kind: 'Site' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
}

// H-08
test('stored objects are counted by resource, once for all versions, custom ones included', async () => {
  const server = await start()
  const name = 'apiserver_storage_objects'
  const before = about(await server.lines(), name)
  assert.ok(before.includes(`${name}{resource="namespaces"} 4`))
  assert.ok(before.includes(`${name}{resource="configmaps"} 0`))
  assert.ok(before.includes(`${name}{resource="deployments.apps"} 0`))
  assert.is(before.filter((line) => line.includes('horizontalpodautoscalers')).length, 1)
  assert.is(before.filter((line) => line.includes('tokenreviews')).length, 0)
  for (const map of ['a', 'b'])
    await post(server, 'api/v1/namespaces/default/configmaps', { metadata: { name: map } })
  await post(server, 'apis/apiextensions.orch.io/v1/customresourcedefinitions', definition)
  const sites = 'apis/example.com/v1/namespaces/default/sites'
  await until('sites are served', async () => {
    return (await fetch(`${server.url}/${sites}`)).status === 200
  })
  const site = { apiVersion: 'example.com/v1', kind: 'Site', metadata: { name: 'one' } }
  assert.is((await post(server, sites, site)).status, 201)
  const after = about(await server.lines(), name)
  assert.ok(after.includes(`${name}{resource="configmaps"} 2`))
  assert.ok(after.includes(`${name}{resource="sites.example.com"} 1`))
})

// H-08
test('plugins and steps of admission are timed, those that refuse apart', async () => {
  const server = await start()
  const maps = (namespace: string) => `api/v1/namespaces/${namespace}/configmaps`
  await post(server, maps('default'), { metadata: { name: 'a' } })
  const refused = await post(server, maps('nowhere'), { metadata: { name: 'a' } })
  assert.is(refused.status, 404)
  const lines = await server.lines()
  const count = (name: string, labels: string) =>
    about(lines, `apiserver_admission_${name}_admission_duration_seconds_count`).filter((line) =>
      line.includes(`{${labels}} `),
    )
  const lifecycle = 'name="NamespaceLifecycle",operation="CREATE",rejected='
  const [passed] = count('controller', `${lifecycle}"false",type="admit"`)
  assert.match(passed ?? '', / [1-9]\d*$/)
  assert.match(count('controller', `${lifecycle}"true",type="admit"`)[0] ?? '', / 1$/)
  assert.match(count('step', 'operation="CREATE",rejected="true",type="admit"')[0] ?? '', / 1$/)
  assert.match(
    count('step', 'operation="CREATE",rejected="false",type="validate"')[0] ?? '',
    / [1-9]\d*$/,
  )
})

// H-10
test('each feature gate is on or off, with its stage', async () => {
  const gates = new Set(['WatchList', 'APIListChunking'])
  const server = await start({ gates, knownGates: features })
  const lines = about(await server.lines(), 'orch_feature_enabled')
  for (const [name, stage, on] of [
    ['WatchList', 'ALPHA', 1],
    ['APIListChunking', '', 1],
    ['APIResponseCompression', 'BETA', 0],
    ['AllowServiceLBStatusOnNonLB', 'DEPRECATED', 0],
  ]) {
    assert.ok(lines.includes(`orch_feature_enabled{name="${name}",stage="${stage}"} ${on}`))
  }
  assert.is(lines.length, features.filter(({ gate }) => !gate.includes('<')).length)
})

// H-10, D2.51
test('a disabled metric is not shown, and how many there are is', async () => {
  const disabled = ['apiserver_request_total', 'apiserver_storage_objects', 'no_such_metric']
  const server = await start({ metrics: { disabled } })
  const lines = await server.lines()
  for (const name of disabled) assert.equal(about(lines, name), [])
  assert.equal(about(lines, '# HELP apiserver_request_total'), [])
  assert.equal(about(lines, 'disabled_metrics_total'), ['disabled_metrics_total 2'])
})

// D2.3
test('labels have the values of the allow-list and one for all others', async () => {
  const pairs = new Map([['apiserver_request_total,code', '200,201']])
  const server = await start({ metrics: { allowed: labelAllowList(pairs).list } })
  await fetch(`${server.url}/api/v1/namespaces`)
  await fetch(`${server.url}/api/v1/namespaces/nowhere`)
  const lines = about(await server.lines(), 'apiserver_request_total')
  assert.ok(lines.some((line) => line.endsWith('code="200"} 1')))
  assert.ok(lines.some((line) => line.endsWith('code="unexpected"} 1')))
  assert.not(lines.some((line) => line.includes('code="404"')))
})

// H-12
test('the process is described by what the system and the runtime say of it', async () => {
  const server = await start()
  const value = (lines: readonly string[], name: string) =>
    Number(about(lines, name)[0]?.split(' ')[1])
  const first = await server.lines()
  const { rss, heapTotal } = process.memoryUsage()
  const near = (is: number, want: number) => is > want / 4 && is < want * 4
  assert.ok(near(value(first, 'process_resident_memory_bytes'), rss))
  assert.ok(near(value(first, 'go_memstats_heap_sys_bytes'), heapTotal))
  assert.ok(value(first, 'go_memstats_heap_alloc_bytes') < heapTotal * 4)
  const started = value(first, 'process_start_time_seconds')
  assert.ok(Math.abs(started - performance.timeOrigin / 1000) < 3)
  assert.equal(about(first, 'go_info'), [`go_info{version="node${process.version}"} 1`])
  const second = await server.lines()
  const cpu = 'process_cpu_seconds_total'
  assert.ok(value(second, cpu) >= value(first, cpu))
  assert.ok(value(second, cpu) <= (process.cpuUsage().user + process.cpuUsage().system) / 1e6)
  if (process.platform === 'linux') {
    for (const name of ['process_open_fds', 'process_max_fds', 'go_threads'])
      assert.ok(value(first, name) >= 1, name)
    assert.ok(value(first, 'process_virtual_memory_bytes') >= rss)
  }
})

/** Those that need something to happen that does not happen here: other tests cause it. */
const elsewhere = [
  'aggregator_unavailable_apiservice',
  'aggregator_unavailable_apiservice_total',
  'apiserver_admission_webhook_admission_duration_seconds',
  'apiserver_admission_webhook_fail_open_count',
  'apiserver_audit_error_total',
  'aggregator_unavailable_apiservice',
  'aggregator_unavailable_apiservice_total',
  'apiserver_audit_event_total',
  'apiserver_audit_level_total',
  'apiserver_audit_requests_rejected_total',
  'apiserver_encryption_config_controller_automatic_reload_failures_total',
  'apiserver_encryption_config_controller_automatic_reload_success_total',
  'apiserver_flowcontrol_current_inqueue_requests',
  'apiserver_flowcontrol_rejected_requests_total',
  'apiserver_flowcontrol_request_wait_duration_seconds',
  'apiserver_longrunning_requests',
  'apiserver_storage_transformation_duration_seconds',
  'apiserver_storage_transformation_operations_total',
  'apiserver_client_certificate_expiration_seconds',
  'authenticated_user_requests',
  'authentication_attempts',
  'authentication_duration_seconds',
  'authentication_token_cache_active_fetch_count',
  'authentication_token_cache_fetch_total',
  'authentication_token_cache_request_duration_seconds',
  'authentication_token_cache_request_total',
  'authorization_attempts_total',
  'authorization_duration_seconds',
  'process_virtual_memory_max_bytes',
  'serviceaccount_invalid_legacy_auto_token_uses_total',
  'serviceaccount_legacy_auto_token_uses_total',
  'serviceaccount_legacy_manual_token_uses_total',
  'serviceaccount_legacy_tokens_total',
  'serviceaccount_stale_tokens_total',
  'serviceaccount_valid_tokens_total',
]

// H-08, H-10, H-12
test('what the schemas say of the API server is what it shows, and nothing of other daemons', async () => {
  const server = await start({ knownGates: features })
  await post(server, 'api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } })
  await fetch(`${server.url}/livez`)
  await fetch(`${server.url}/apis/flowcontrol.apiserver.orch.io/v1beta3/flowschemas`)
  const lines = await server.lines()
  const shown = lines.flatMap((line) => /^# TYPE (\S+) (\S+)$/.exec(line)?.slice(1).join(' ') ?? [])
  const own = table.filter((facts) => isServedBy(facts, 'apiserver'))
  const missing = own.filter(({ name, type }) => !shown.includes(`${name} ${type}`))
  assert.equal(
    missing.map(({ name }) => name).filter((name) => !elsewhere.includes(name)),
    [],
  )
  const unknown = shown.filter((one) => !own.some(({ name, type }) => one === `${name} ${type}`))
  assert.equal(unknown, [])
})

test.run()
