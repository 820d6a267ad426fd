/** Services of every kind, the pods behind them, and endpoints and slices that users write. */
import type { Random } from '../../random.ts'
import type { Any, Cluster } from '../cluster.ts'
import { pod, pods, services, slices } from '../scenarios/shapes.ts'
import { node } from '../scenarios/workloads.ts'
import { type Operation, playSome } from './steps.ts'
import type { World } from './world.ts'

/** Changes are told apart by their second, and those of slices are looked at after one by the reference. */
const quietMs = 1400

const endpoints = 'v1/endpoints'
const serviceNames = ['a', 'b', 'c']
const podNames = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7']
const agents = ['ready', 'ready', 'ready', 'running', 'pending', 'succeeds', 'fails']
const selectors = [
  { app: 'x' },
  { app: 'y' },
  { tier: 'db' },
  { app: 'x', tier: 'db' },
  { app: 'nobody' },
]
const labelsOfPods = [{ app: 'x' }, { app: 'y' }, { app: 'x', tier: 'db' }, { tier: 'db' }]

const portLists = [
  [{ name: 'http', port: 80, targetPort: 8080 }],
  [{ port: 80 }],
  [{ name: 'named', port: 80, targetPort: 'http' }],
  [
    { name: 'named', port: 80, targetPort: 'http' },
    { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns' },
  ],
  [
    { name: 'b', port: 81, appProtocol: 'kubernetes.io/h2c' },
    { name: 'a', port: 80, targetPort: 8080, appProtocol: 'http' },
  ],
  [
    { name: 'same', port: 80, targetPort: 8080 },
    { name: 'more', port: 81, targetPort: 8080 },
  ],
]

const containers = [
  [{ name: 'main', image: 'work' }],
  [{ name: 'main', image: 'work', ports: [{ name: 'http', containerPort: 8080 }] }],
  [
    { name: 'main', image: 'work', ports: [{ name: 'http', containerPort: 9090 }] },
    { name: 'side', image: 'work', ports: [{ name: 'dns', containerPort: 53, protocol: 'UDP' }] },
  ],
  [{ name: 'main', image: 'work', ports: [{ name: 'dns', containerPort: 5353, protocol: 'TCP' }] }],
]

function serviceSpec(random: Random): object {
  const selector = random.chance(0.8) ? { selector: random.pick(selectors) } : {}
  const ports = { ports: random.pick(portLists) }
  const unready = random.chance(0.3) ? { publishNotReadyAddresses: true } : {}
  return random.pick([
    { ...selector, ...ports, ...unready },
    { ...selector, ...ports, ...unready },
    { ...selector, ...ports, ...unready, clusterIP: 'None' },
    { ...selector, ...unready, clusterIP: 'None' },
    { ...selector, ...ports, type: 'NodePort', externalTrafficPolicy: 'Local' },
    { ...selector, ...ports, type: 'LoadBalancer', internalTrafficPolicy: 'Local' },
    { ...selector, ...ports, sessionAffinity: 'ClientIP' },
    { ...selector, type: 'ExternalName', externalName: 'a.example' },
  ])
}

const labelsOfServices = [
  {},
  { a: 'b' },
  { 'kubernetes.io/service-name': 'other', 'endpointslice.kubernetes.io/managed-by': 'me' },
  { 'service.kubernetes.io/service-proxy-name': 'other' },
]
const annotationsOfServices = [
  {},
  { note: 'one' },
  { note: 'two', 'endpoints.kubernetes.io/last-change-trigger-time': '2020-01-01T00:00:00Z' },
]

const aService: Operation = (c, random) =>
  c.create(services, {
    metadata: {
      name: random.pick(serviceNames),
      labels: random.pick(labelsOfServices),
      annotations: random.pick(annotationsOfServices),
    },
    spec: serviceSpec(random),
  })

const changedService: Operation = (c, random) =>
  c.patch(
    services,
    random.pick(serviceNames),
    random.pick<object>([
      { spec: { selector: { app: null, tier: null, ...random.pick(selectors) } } },
      { spec: { selector: null } },
      { spec: { publishNotReadyAddresses: random.chance(0.5) } },
      { spec: { ports: random.pick(portLists) } },
      { metadata: { labels: random.pick(labelsOfServices) } },
      { metadata: { labels: { a: null, more: 'x' } } },
      { metadata: { annotations: random.pick(annotationsOfServices) } },
      {
        spec: {
          type: 'ExternalName',
          externalName: 'b.example',
          clusterIP: null,
          clusterIPs: null,
        },
      },
      { spec: { type: 'ClusterIP', externalName: null } },
    ]),
  )

const noService: Operation = (c, random) => c.delete(services, random.pick(serviceNames))

const aPod: Operation = (c, random) => {
  const spec = {
    containers: random.pick(containers),
    terminationGracePeriodSeconds: 3600,
    ...(random.chance(0.3) && { hostname: 'h', subdomain: random.pick(serviceNames) }),
    ...(random.chance(0.1) && { restartPolicy: 'Never' }),
  }
  const agent = { agent: random.pick(agents), 'agent-holds': '' }
  const metadata = { annotations: agent, labels: random.pick(labelsOfPods) }
  return c.create(pods, pod(random.pick(podNames), 'ready', spec, metadata))
}

/** Pods that are seen to go, and not only that they are gone. */
const goesSlowly = { terminationGracePeriodSeconds: 30 }

/** As many as a slice holds and more. */
const manyPods: Operation = async (c, random) => {
  const metadata = { labels: random.pick(labelsOfPods) }
  const first = random.below(100)
  for (let number = 0; number < 7; number += 1)
    await c
      .create(pods, pod(`many-${first + number}`, 'ready', goesSlowly, metadata))
      .catch(() => {})
}

const otherAgent: Operation = (c, random) =>
  c.patch(pods, random.pick(podNames), {
    metadata: { annotations: { agent: random.pick(['ready', 'running', 'fails', 'succeeds']) } },
  })

const otherLabels: Operation = (c, random) =>
  c.patch(pods, random.pick(podNames), {
    metadata: { labels: { app: null, tier: null, ...random.pick(labelsOfPods) } },
  })

const terminatingPod: Operation = (c, random) => c.delete(pods, random.pick(podNames))

const podThatGoes: Operation = async (c, random) => {
  const name = random.pick(podNames)
  await c.patch(pods, name, { metadata: { annotations: { 'agent-holds': null } } })
  await c.delete(pods, name)
}

const subsetLists = (random: Random): readonly object[] => {
  const ports = random.pick<readonly object[]>([
    [{ name: 'http', port: 8080 }],
    [{ port: 80 }],
    [
      { name: 'a', port: 1 },
      { name: 'b', port: 2, protocol: 'UDP', appProtocol: 'x' },
    ],
  ])
  const addresses = Array.from({ length: random.below(5) }, (_, number) => ({
    ip: random.chance(0.2) ? `2001:db8::${1 + number}` : `198.51.100.${1 + number}`,
    ...(random.chance(0.2) && { hostname: `h${number}` }),
    ...(random.chance(0.2) && { nodeName: 'agent' }),
  }))
  const notReady = { notReadyAddresses: [{ ip: '198.51.100.9' }] }
  return [
    { ...(addresses.length > 0 && { addresses }), ...(random.chance(0.4) && notReady), ports },
    ...(random.chance(0.3)
      ? [{ addresses: [{ ip: '198.51.100.77' }], ports: [{ name: 'other', port: 9 }] }]
      : []),
  ]
}

/** Those of a service with a selector are left alone: the reference puts them right with the next change only. */
const endpointsByHand: Operation = async (c, random) => {
  const name = random.pick([...serviceNames, 'no-service'])
  const metadata = {
    name,
    labels: random.pick([
      {},
      { tier: 'db' },
      { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    ]),
    annotations: random.pick([
      {},
      { note: 'x' },
      { 'control-plane.alpha.kubernetes.io/leader': '' },
    ]),
  }
  const subsets = random.chance(0.9) ? subsetLists(random) : []
  const service = await c.find(services, name)
  if (service?.spec.selector !== undefined) return
  if (await c.find(endpoints, name)) await c.patch(endpoints, name, { metadata, subsets })
  else await c.create(endpoints, { metadata, subsets })
}

const noEndpoints: Operation = (c, random) =>
  c.delete(endpoints, random.pick([...serviceNames, 'no-service']))

/** The first slice of a service, in the order of its pods; there may be none. */
async function someSlice(c: Cluster, random: Random): Promise<string> {
  const service = random.pick(serviceNames)
  const podsOf = ({ endpoints: all }: Any): string =>
    JSON.stringify((all ?? []).map((one: Any) => one.targetRef?.name).sort())
  const found = (await c.list(slices))
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service)
    .sort((one, other) => (podsOf(one) < podsOf(other) ? -1 : 1))
  return found[0]?.metadata.name ?? 'none'
}

const noSlice: Operation = async (c, random) => c.delete(slices, await someSlice(c, random))

/** Not of its labels or owners: the reference waits for a slice that it never sees again, or for the next change. */
const otherSlice: Operation = async (c, random) =>
  c.patch(
    slices,
    await someSlice(c, random),
    random.pick<object>([
      { endpoints: [] },
      { ports: [{ name: 'mine', port: 1 }] },
      { metadata: { annotations: { note: 'x' } } },
    ]),
  )

const ownSlice: Operation = (c, random) =>
  c.create(slices, {
    metadata: {
      name: `own-${random.below(2)}`,
      labels: {
        'kubernetes.io/service-name': random.pick([...serviceNames, 'nowhere']),
        ...random.pick<object>([
          {},
          { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
          { 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
        ]),
      },
    },
    addressType: random.pick(['IPv4', 'IPv6', 'FQDN']),
    endpoints: [],
    ports: [{ name: 'http', port: 8080 }],
  })

const network: World = {
  name: 'network',
  async play(c, random) {
    for (let number = 0; number < 3; number += 1) await aService(c, random).catch(() => {})
    for (let number = 0; number < 4; number += 1) await aPod(c, random).catch(() => {})
    await playSome(c, random, { steps: 16, quietMs }, [
      ...[aService, aService, changedService, changedService, noService],
      ...[aPod, aPod, aPod, otherAgent, otherAgent, otherLabels, terminatingPod, podThatGoes],
    ])
  },
}

const byHand: World = {
  name: 'by-hand',
  async play(c, random) {
    for (const name of serviceNames)
      await c.create(services, { metadata: { name }, spec: { ports: portLists[0] } })
    await playSome(c, random, { steps: 16, quietMs }, [
      ...[endpointsByHand, endpointsByHand, endpointsByHand, noEndpoints, changedService],
      ...[noService, aService, aPod, noSlice, otherSlice, ownSlice],
    ])
  },
}

const manySlices: World = {
  name: 'slices',
  async play(c, random) {
    for (const name of serviceNames)
      await c.create(services, { metadata: { name }, spec: serviceSpec(random) })
    await manyPods(c, random)
    await playSome(c, random, { steps: 10, quietMs }, [
      ...[manyPods, aPod, aPod, otherAgent, otherLabels, podThatGoes, changedService],
      ...[noSlice, otherSlice, ownSlice],
      async (one, some) => {
        const many = (await one.list(pods)).map(({ metadata }) => metadata.name)
        const left = many.filter((name) => name.startsWith('many')).sort()
        for (const name of left.slice(0, 1 + some.below(6))) await one.delete(pods, name)
      },
    ])
  },
}

/** Nodes of two zones, the same for all histories: shares of a zone depend on every node. */
const zonedNodes = ['a1', 'a2', 'b1', 'b2', 'b3']

const hints: World = {
  name: 'hints',
  async play(c, random) {
    for (const name of zonedNodes) {
      const labels = { 'topology.kubernetes.io/zone': name.slice(0, 1) }
      await node(c, `zoned-${name}`, labels).catch(() => {})
    }
    const mode = (): object => ({
      'service.kubernetes.io/topology-mode': random.pick(['Auto', 'auto', 'Disabled', 'Odd']),
    })
    const ports = portLists[0]
    const spec = { selector: { app: 'x' }, ports }
    await c.create(services, { metadata: { name: 'a', annotations: mode() }, spec })
    await playSome(c, random, { steps: 16, quietMs }, [
      ...Array.from(
        { length: 6 },
        (): Operation => (one, some) => {
          const nodeName = `zoned-${some.pick(zonedNodes)}`
          const name = `p${some.below(12)}`
          return one.create(
            pods,
            pod(name, 'ready', { nodeName, ...goesSlowly }, { labels: { app: 'x' } }),
          )
        },
      ),
      (one, some) => one.delete(pods, `p${some.below(12)}`),
      (one, some) =>
        one.patch(pods, `p${some.below(12)}`, {
          metadata: { annotations: { agent: some.pick(['ready', 'running']) } },
        }),
      (one) => one.patch(services, 'a', { metadata: { annotations: mode() } }),
      (one, some) =>
        one.patch(services, 'a', {
          metadata: {
            annotations: {
              'service.kubernetes.io/topology-mode': null,
              'service.kubernetes.io/topology-aware-hints': some.pick(['Auto', null]),
            },
          },
        }),
    ])
  },
}

export const networkWorlds: readonly World[] = [network, byHand, manySlices, hints]
