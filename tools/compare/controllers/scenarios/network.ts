/** Endpoints, slices, their mirrors, and hints for zones. */
import {
  app,
  type ControllerScenarios,
  deployment,
  deployments,
  pod,
  pods,
  services,
  slices,
  template,
} from './shapes.ts'
import { complete, node } from './workloads.ts'

const ports = [{ name: 'http', port: 80, targetPort: 8080 }]
const endpoints = 'v1/endpoints'

export const network: ControllerScenarios = {
  's-service': async (c) => {
    await c.create(services, { metadata: { name: 'web' }, spec: { selector: app, ports } })
    await c.create(deployments, deployment('web'))
    await complete(c, 'web', 3)
    await c.until(
      'addresses',
      async () => (await c.get(endpoints, 'web')).subsets?.[0]?.addresses?.length === 3,
    )
    await c.patch(deployments, 'web', { spec: { replicas: 1 } })
    await c.until(
      'one address',
      async () => (await c.get(endpoints, 'web')).subsets?.[0]?.addresses?.length === 1,
    )
  },
  's-service-unready': async (c) => {
    await c.create(services, {
      metadata: { name: 'web', labels: { a: 'b' } },
      spec: { selector: app, ports },
    })
    await c.create(services, {
      metadata: { name: 'all' },
      spec: { selector: app, ports, publishNotReadyAddresses: true },
    })
    await c.create(services, {
      metadata: { name: 'headless' },
      spec: { selector: app, clusterIP: 'None' },
    })
    await c.create(
      pods,
      pod('a', 'running', { hostname: 'a', subdomain: 'headless' }, { labels: app }),
    )
    await c.until(
      'addresses',
      async () => (await c.get(endpoints, 'web')).subsets?.[0]?.notReadyAddresses?.length === 1,
    )
  },
  's-service-ports': async (c) => {
    await c.create(services, {
      metadata: { name: 'web' },
      spec: {
        selector: app,
        ports: [
          { name: 'named', port: 80, targetPort: 'http' },
          { name: 'udp', port: 53, protocol: 'UDP' },
        ],
      },
    })
    const port = (containerPort: number) => ({
      containers: [{ name: 'main', image: 'work', ports: [{ name: 'http', containerPort }] }],
    })
    await c.create(pods, pod('a', 'ready', port(8080), { labels: app }))
    await c.create(pods, pod('b', 'ready', port(9090), { labels: app }))
    await c.until(
      'slices',
      async () => (await c.list(slices)).flatMap((one) => one.endpoints ?? []).length === 2,
    )
    await c.delete(services, 'web')
    await c.count(endpoints, 0)
  },
  's-service-dual': async (c) => {
    await c.create(services, { metadata: { name: 'none' }, spec: { ports } })
    await c.create(services, {
      metadata: { name: 'out' },
      spec: { type: 'ExternalName', externalName: 'a.example' },
    })
    await c.create(services, {
      metadata: { name: 'empty' },
      spec: { selector: { app: 'nobody' }, ports },
    })
    await c.has(endpoints, 'empty', () => true)
    await c.count(slices, 1)
  },
  's-mirror': async (c) => {
    await c.create(services, { metadata: { name: 'outside' }, spec: { ports } })
    await c.create(endpoints, {
      metadata: { name: 'outside', labels: { tier: 'db' } },
      subsets: [
        {
          addresses: [{ ip: '198.51.100.1' }, { ip: '2001:db8::1' }],
          notReadyAddresses: [{ ip: '198.51.100.9' }],
          ports: [{ name: 'http', port: 8080 }],
        },
      ],
    })
    await c.count(slices, 2)
    await c.patch(endpoints, 'outside', {
      subsets: [{ addresses: [{ ip: '198.51.100.2' }], ports: [{ name: 'http', port: 8080 }] }],
    })
    await c.count(slices, 1)
    await c.delete(endpoints, 'outside')
    await c.count(slices, 0)
  },
  's-hints': async (c) => {
    for (const zone of ['a', 'b']) {
      const labels = { 'topology.kubernetes.io/zone': zone }
      for (const number of [1, 2]) await node(c, `s-hints-${zone}${number}`, labels)
    }
    await c.create(services, {
      metadata: { name: 'web', annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } },
      spec: { selector: app, ports },
    })
    for (const zone of ['a', 'b'])
      for (const number of [1, 2, 3]) {
        await c.create(
          pods,
          pod(
            `${zone}${number}`,
            'ready',
            { nodeName: `s-hints-${zone}${1 + (number % 2)}` },
            { labels: app },
          ),
        )
      }
    await c.until(
      'hints',
      async () =>
        (await c.list(slices)).flatMap((one) => one.endpoints ?? []).filter((one) => one.hints)
          .length === 6,
    )
    await c.create(services, {
      metadata: { name: 'few', annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } },
      spec: { selector: { app: 'few' }, ports },
    })
    await c.create(
      pods,
      pod('few', 'ready', { nodeName: 's-hints-a1' }, { labels: { app: 'few' } }),
    )
    await c.create(services, {
      metadata: { name: 'odd', annotations: { 'service.kubernetes.io/topology-mode': 'Odd' } },
      spec: { selector: { app: 'few' }, ports },
    })
    await c.until(
      'the slice',
      async () => (await c.list(slices)).flatMap((one) => one.endpoints ?? []).length === 8,
    )
    await c.patch(services, 'web', {
      metadata: { annotations: { 'service.kubernetes.io/topology-mode': null } },
    })
    await c.until('no hints', async () =>
      (await c.list(slices)).flatMap((one) => one.endpoints ?? []).every((one) => !one.hints),
    )
  },
  's-budget': async (c) => {
    const budgets = 'policy/v1/poddisruptionbudgets'
    await c.create(deployments, deployment('web'))
    await c.create(budgets, {
      metadata: { name: 'web' },
      spec: { maxUnavailable: 1, selector: { matchLabels: app } },
    })
    await complete(c, 'web', 3)
    await c.has(budgets, 'web', ({ status }) => status?.disruptionsAllowed === 1)
    await c.create(pods, pod('alone', 'ready', {}, { labels: { app: 'alone' } }))
    await c.create(budgets, {
      metadata: { name: 'alone' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'alone' } } },
    })
    await c.create(budgets, {
      metadata: { name: 'none' },
      spec: { minAvailable: '50%', selector: { matchLabels: { app: 'none' } } },
    })
    await c.has(budgets, 'alone', ({ status }) => status?.conditions?.length === 1)
    const [first] = (await c.list(pods)).filter(({ metadata }) => metadata.name.startsWith('web'))
    await c.create(
      pods,
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: first?.metadata.name ?? '' } },
      `${first?.metadata.name}/eviction`,
    )
    await complete(c, 'web', 3)
    await c.has(budgets, 'web', ({ status }) => status?.disruptionsAllowed === 1)
  },
  's-unhealthy': async (c) => {
    const budgets = 'policy/v1/poddisruptionbudgets'
    await c.create(deployments, deployment('web', { replicas: 2, template: template('running') }))
    await c.create(budgets, {
      metadata: { name: 'web' },
      spec: {
        minAvailable: 1,
        selector: { matchLabels: app },
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      },
    })
    await c.has(budgets, 'web', ({ status }) => status?.expectedPods === 2)
  },
}
