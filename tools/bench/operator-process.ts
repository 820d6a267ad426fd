/** An operator as users run one: the packed package, a manager, ten informers, probes and metrics. Its first word is the address of a server. */
import {
  connect,
  createManager,
  defineController,
  done,
  operatorMetrics,
  serveOperator,
} from 'orch'
import { deployments } from 'orch/generated/apis/apps/v1/deployment'
import { statefulSets } from 'orch/generated/apis/apps/v1/stateful-set'
import { jobs } from 'orch/generated/apis/batch/v1/job'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { namespaces } from 'orch/generated/apis/core/v1/namespace'
import { nodes } from 'orch/generated/apis/core/v1/node'
import { pods } from 'orch/generated/apis/core/v1/pod'
import { secrets } from 'orch/generated/apis/core/v1/secret'
import { services } from 'orch/generated/apis/core/v1/service'
import { ingresses } from 'orch/generated/apis/networking/v1/ingress'

const [orchconfig = ''] = process.argv.slice(2)
const client = await connect(orchconfig, { manager: 'bench-operator' })
const metrics = await operatorMetrics()
const kinds = [deployments, statefulSets, jobs, configMaps, namespaces, nodes, pods, secrets]
const controllers = [...kinds, services, ingresses].map((kind) =>
  defineController({ name: kind.plural, for: kind as never, reconcile: async () => done }),
)
const manager = createManager({ client, controllers, metrics })
await serveOperator({ manager, metrics, port: 0, host: '127.0.0.1' })
void manager.run(new AbortController().signal)
await manager.ready
process.send?.('ready')
