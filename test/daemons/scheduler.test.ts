import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runScheduler } from '../../daemons/scheduler/scheduler.ts'
import { nodes } from '../../generated/apis/core/v1/node.ts'
import { pods } from '../../generated/apis/core/v1/pod.ts'
import { features } from '../../generated/features.ts'
import { metrics } from '../../generated/metrics.ts'
import { options } from '../../generated/options/orch-scheduler.ts'
import { platform } from '../../generated/platform.ts'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import { runNode } from '../support/orch.ts'
import { until } from '../support/until.ts'

const daemon = suite('daemons/scheduler')

const command = fileURLToPath(new URL('../../packed/orch-scheduler.js', import.meta.url))

daemon('--help says what can be tuned, and that there is no configuration file', async () => {
  const { code, stdout } = await runNode(command, ['--help'])
  assert.is(code, 0)
  assert.match(stdout, '--percentage-of-nodes-to-score')
  assert.match(stdout, '--default-spread')
  assert.match(stdout, /reads no\s+configuration\s+file/)
})

daemon('everything that is wrong is said at once', async () => {
  const { code, stderr } = await runNode(command, [
    '--orchconfig=/nowhere/orchconfig',
    '--default-spread=zone',
    '--leader-elect-retry-period=9s',
    '--leader-elect-resource-name=',
    '--pod-initial-backoff=-1s',
    '--pod-max-backoff=-2s',
    '--pod-max-in-unschedulable-pods-duration=0',
    '--scheduler-name=',
    '--bind-address=here',
  ])
  assert.is(code, 1)
  for (const why of [
    'orchconfig /nowhere/orchconfig: there is no such file or folder',
    '--default-spread zone: expected a label and a number above 0',
    /-retry-period: lease: retryMs 9000/,
    '--leader-elect-resource-name: a lease has to have a name',
    '--pod-initial-backoff: must be more than 0s',
    '--pod-max-backoff: must not be less than --pod-initial-backoff',
    '--pod-max-in-unschedulable-pods-duration: must be more than 0s',
    '--scheduler-name: a scheduler has to have a name',
    '--bind-address here: expected an address',
  ])
    assert.match(stderr, why)
})

daemon('it finds nodes for pods while it has the lease', async () => {
  await using plane = await startControlPlane({ socket: true })
  const { client } = plane
  await client.resource(nodes).create({ metadata: { name: 'a' } })
  const status = { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } }
  await client.resource(nodes).mergePatch('a', { status }, { subresource: 'status' })
  await client.resource(nodes).mergePatch('a', { spec: { taints: null } })
  const own = client.resource(pods).in('default')
  const spec = { containers: [{ name: 'main', image: 'example' }] }
  await own.create({ metadata: { name: 'web' }, spec })
  const end = new AbortController()
  const lines: string[] = []
  const terminal = {
    args: [`--master=${plane.url}`, '--secure-port=0'],
    environment: {},
    width: 80,
    print: (line: string) => void lines.push(line),
    printError: (line: string) => void lines.push(line),
  }
  const facts = { options, features, platform, metrics }
  const ended = runScheduler(facts, terminal as never, end.signal)
  await until('the pod has a node', async () => (await own.get('web')).spec?.nodeName === 'a')
  end.abort()
  assert.is(await ended, 0)
  assert.ok(lines.includes('ready'), lines.join('\n'))
})

daemon.run()
