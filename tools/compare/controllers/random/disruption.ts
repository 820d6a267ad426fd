/** Disruption budgets over pods of every owner, and evictions. */
import type { Random } from '../../random.ts'
import type { Any, Cluster } from '../cluster.ts'
import { deployments, pod, pods, replicaSets, statefulSets, template } from '../scenarios/shapes.ts'
import { type Operation, playSome } from './steps.ts'
import type { World } from './world.ts'

const budgets = 'policy/v1/poddisruptionbudgets'
const controllers = 'v1/replicationcontrollers'
const apps = ['deploy', 'set', 'ordered', 'old', 'bare']
const amounts = [0, 1, 2, 3, '0%', '20%', '34%', '50%', '67%', '100%', '150%']

/** Of one app: which of several budgets of a pod is looked at, the reference leaves open. */
function budgetSpec(app: string, random: Random): object {
  const amount = random.pick(amounts)
  return {
    ...(random.chance(0.5) ? { minAvailable: amount } : { maxUnavailable: amount }),
    selector: random.pick<object>([
      { matchLabels: { app } },
      { matchLabels: { app } },
      { matchExpressions: [{ key: 'app', operator: 'In', values: [app, 'nothing'] }] },
    ]),
    ...(random.chance(0.5) && {
      unhealthyPodEvictionPolicy: random.pick(['AlwaysAllow', 'IfHealthyBudget']),
    }),
  }
}

const aBudget: Operation = (c, random) => {
  const name = random.pick(apps)
  return c.create(budgets, { metadata: { name }, spec: budgetSpec(name, random) })
}

const otherBudget: Operation = (c, random) => {
  const name = random.pick(apps)
  return c.patch(budgets, name, {
    spec: { minAvailable: null, maxUnavailable: null, ...budgetSpec(name, random) },
  })
}

const noBudget: Operation = (c, random) => c.delete(budgets, random.pick(apps))

const shared = (app: string, agent: string) => ({
  selector: { matchLabels: { app } },
  template: template(agent, {}, { app }),
})

const workload: Operation = (c, random) => {
  const replicas = random.below(5)
  const agent = random.pick(['ready', 'ready', 'ready', 'running', 'pending'])
  return random.pick([
    () =>
      c.create(deployments, {
        metadata: { name: 'deploy' },
        spec: { replicas, ...shared('deploy', agent) },
      }),
    () =>
      c.create(replicaSets, {
        metadata: { name: 'set' },
        spec: { replicas, ...shared('set', agent) },
      }),
    () =>
      c.create(statefulSets, {
        metadata: { name: 'ordered' },
        spec: {
          serviceName: 'o',
          replicas,
          podManagementPolicy: 'Parallel',
          ...shared('ordered', agent),
        },
      }),
    () =>
      c.create(controllers, {
        metadata: { name: 'old' },
        spec: { replicas, selector: { app: 'old' }, template: template(agent, {}, { app: 'old' }) },
      }),
  ])()
}

const resourceOf: Readonly<Record<string, string>> = {
  deploy: deployments,
  set: replicaSets,
  ordered: statefulSets,
  old: controllers,
}

const scaled: Operation = (c, random) => {
  const name = random.pick(Object.keys(resourceOf))
  return c.patch(resourceOf[name] ?? '', name, { spec: { replicas: random.below(6) } })
}

const noWorkload: Operation = (c, random) => {
  const name = random.pick(Object.keys(resourceOf))
  return c.delete(resourceOf[name] ?? '', name, {
    propagationPolicy: random.pick(['Background', 'Orphan', 'Foreground']),
  })
}

const barePod: Operation = (c, random) => {
  const labels = { app: random.pick(['bare', 'bare', 'none']) }
  const agent = { agent: random.pick(['ready', 'ready', 'running', 'succeeds']) }
  return c.create(pods, pod(`bare-${random.below(4)}`, 'ready', {}, { labels, annotations: agent }))
}

/** The first pod of an app in one state: which of several does not matter. */
async function somePod(c: Cluster, random: Random): Promise<string> {
  const app = random.pick(apps)
  const ready = random.chance(0.7)
  const isReady = ({ status }: Any): boolean =>
    (status.conditions ?? []).some(
      (one: { type: string; status: string }) => one.type === 'Ready' && one.status === 'True',
    )
  const found = (await c.list(pods)).filter(
    (one) => one.metadata.labels?.app === app && isReady(one) === ready,
  )
  return found.map(({ metadata }) => metadata.name).sort()[0] ?? 'none'
}

const eviction: Operation = async (c, random) => {
  const name = await somePod(c, random)
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }
  await c.create(pods, body, `${name}/eviction`)
}

const otherAgent: Operation = async (c, random) =>
  c.patch(pods, await somePod(c, random), {
    metadata: { annotations: { agent: random.pick(['ready', 'running', 'running', 'fails']) } },
  })

const podLess: Operation = async (c, random) => c.delete(pods, await somePod(c, random))

export const disruptionWorlds: readonly World[] = [
  {
    name: 'budgets',
    async play(c, random) {
      for (let one = 0; one < 3; one += 1) await workload(c, random).catch(() => {})
      await playSome(c, random, { steps: 20 }, [
        ...[workload, workload, scaled, noWorkload, barePod, barePod],
        ...[aBudget, aBudget, aBudget, otherBudget, noBudget],
        ...[eviction, eviction, eviction, otherAgent, otherAgent, podLess],
      ])
    },
  },
]
