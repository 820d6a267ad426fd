import { mkdirSync } from 'node:fs'
import type { Node, Taint } from '../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../generated/apis/core/v1/pod.ts'
import { services } from '../../generated/apis/core/v1/service.ts'
import {
  type Agent,
  type AgentFacts,
  allocatableOf,
  createAgent,
  followManifests,
  isMirror,
  keepNode,
  machineFacts,
  mirrorSink,
  noConfigObjects,
  nodeLabels,
  nodeShutdown,
  noPlace,
  readManifestFolder,
  readManifestUrl,
  registerCsiNode,
  registerNode,
  releaseVolumes,
  serverClaims,
  serverConfigObjects,
  serverSink,
  serverTokens,
  serviceVariables,
  silentSink,
} from '../../runtime/agent/agent.ts'
import type { AgentPort } from '../../runtime/agent-server/agent-server.ts'
import type { ContainerRuntime } from '../../runtime/container-runtime/container-runtime.ts'
import { type DaemonServer, type HealthCheck, serveDaemon } from '../../runtime/daemon/daemon.ts'
import { createInformer, type Informer } from '../../runtime/informer/informer.ts'
import { aborted } from '../../runtime/kernel/async/abort-signal.ts'
import { systemClock, systemRandom } from '../../runtime/kernel/async/clock.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import type { Stored } from '../../runtime/kernel/meta/object.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'
import { collectProcessMetrics, createMetrics } from '../../runtime/observe/observe.ts'
import { createRecorder } from '../../runtime/recorder/recorder.ts'
import { type DaemonClients, daemonClients } from '../client-daemon/clients.ts'
import { platformWhenReached, programName } from '../client-daemon/reach-server.ts'
import type { Serving } from '../client-daemon/run-on-lease.ts'
import { packageVersion } from '../version.ts'
import type { AgentSettings } from './agent-settings.ts'
import type { AgentDaemonFacts } from './facts.ts'
import { nodeEvents, stateOf } from './node-events.ts'
import { nodeUpkeep, type Upkeep } from './node-upkeep.ts'
import { openPorts } from './open-ports.ts'
import { openRuntime, type RuntimeChoice } from './open-runtime.ts'
import { podSettings } from './pod-settings.ts'
import { rotateCertificates } from './rotation.ts'
import { afterShutdown, configuredGroups } from './shutdown.ts'

/** What the daemon runs with. */
export interface Setup extends Serving {
  readonly settings: AgentSettings
  /** Whether pods end with the agent. */
  readonly endsPods: boolean
  /** Hears what containers are run by. Default: it is logged. */
  readonly onRuntime?: ((choice: RuntimeChoice) => void) | undefined
}

const ms = (text: string): number => parseDuration(text) ?? 0

/** Runs pods until `signal` aborts. @throws what keeps it from starting. */
export async function serveAgent(
  { platform: own, metrics: table }: AgentDaemonFacts,
  { settings, endsPods, onRuntime, log, print }: Setup,
  stop: AbortSignal,
): Promise<'stopped'> {
  const { configuration, connection, rootFolder, logFolder } = settings
  mkdirSync(rootFolder, { recursive: true, mode: 0o750 })
  const metrics = createMetrics(table, { release: own.release, daemon: 'agent' })
  const clock = systemClock
  const clients = connection && clientsOf(connection)
  let health: DaemonServer | undefined
  let running: Agent | undefined
  const groups = configuredGroups(configuration)
  const shutdown = nodeShutdown({
    ...{ groups, clock, log },
    pods: () => running?.pods() ?? [],
    sendAway: (pod, why) => running?.sendAway(pod.metadata.uid, why),
  })
  const urgent = gate()
  const signal = groups.length === 0 ? stop : afterShutdown(stop, shutdown, urgent.open)
  const runtime = await openRuntime(settings, packageVersion(), onRuntime ?? logRuntime)
  let ports: AgentPort | undefined
  try {
    const platform = clients ? await platformWhenReached(clients.client, own, signal) : own
    if (platform === undefined) return 'stopped'
    const machine = machineFacts(rootFolder, settings.address, configuration.maxPods)
    const nodeName = settings.hostname || machine.hostname
    const runtimeVersion = await runtime.version()
    const client = clients?.client
    const serviceInformer =
      client && createInformer(client.resource(services), { clock, log, keepAlive: false })
    const allocatable = allocatableOf(
      machine.capacity,
      [configuration.systemReserved ?? {}, configuration.orchReserved ?? {}],
      settings.thresholds,
    )
    const objects = client ? serverConfigObjects(client) : noConfigObjects
    const recorder = createRecorder({ component: own.agent, clock, random: systemRandom, log })
    const sink =
      clients && client
        ? mirrorSink(serverSink(clients.own('events'), recorder), {
            ...{ client, nodeName, domain: platform.domain },
          })
        : silentSink
    const labels = nodeLabels(platform, nodeName, machine, settings.labels)
    const facts: AgentFacts = {
      ...{ runtime, runtimeName: runtimeVersion.name, platform, rootFolder, logFolder, nodeName },
      ...{ address: machine.address, allocatable, clock, log, objects, sink },
      tokens: client && serverTokens(client, clock),
      claims:
        client && serverClaims(client, { metadata: { name: nodeName, labels } } as Stored<Node>),
      ...podSettings(settings, client, platform, { runtime, objects, clock, log }),
      refusal: (pod) =>
        shutdown.refusal() ??
        upkeep.evictor.refusal(pod) ??
        noPlace(pod, {
          ...{ node: { name: nodeName, labels }, allocatable },
          others: agent.pods(),
        }),
      serviceVariables: (namespace, links) =>
        serviceVariables(serviceInformer?.cache.list() ?? [], namespace, platform.brand, links),
    }
    const agent: Agent = createAgent(facts, { syncMs: ms(configuration.syncFrequency) })
    running = agent
    const tellNode = nodeEvents(sink, nodeName)
    const upkeep: Upkeep = nodeUpkeep({
      ...{ configuration, rootFolder, logFolder, runtime, agent, clock, log },
      ...{ thresholds: settings.thresholds, sandboxImage: settings.sandboxImage },
      domain: platform.domain,
      tell: (reason, message) => tellNode('Warning', reason, message),
    })
    const syncs = { name: 'syncloop', check: () => agent.check() }
    const checks = [{ name: 'log', check: () => {} }, syncs]
    health = await openHealth(checks)
    if (health === undefined) collectProcessMetrics(metrics, own, clock)
    const view = {
      ...{ nodeName, platform, runtime, rootFolder, clock, log },
      ...{ pods: agent.pods, probeCounts: agent.probeCounts },
    }
    ports =
      settings.ports &&
      (await openPorts({
        ...{ settings: settings.ports, own, client, view, signal },
        names: [nodeName, machine.hostname, machine.address],
        endpoints: {
          ...{ checks: [{ name: 'ping', check: () => {} }, ...checks], metrics, slis: true },
          brand: own.brand,
          configz: () => ({ [`${own.agent}config`]: configuration }),
        },
      }))
    tellNode('Normal', 'Starting', `Starting ${own.agent}.`)
    const working: Promise<unknown>[] = [agent.run(signal), upkeep.run(signal)]
    const manifests = followAllManifests(agent, nodeName, working)
    if (clients && client && serviceInformer) {
      const options = {
        ...{ client: clients.own('node'), clock, log, registers: configuration.registerNode },
        settings: {
          ...{ name: nodeName, labels: settings.labels, schedulable: settings.schedulable },
          ...{ providerID: settings.providerID, machine, platform },
          port: ports?.port ?? configuration.port,
          taints: [
            ...(configuration.registerWithTaints ?? []),
            ...(settings.hasCloud ? [cloudTaint(platform.domain)] : []),
          ],
          allocatable,
          runtimeVersion: `${runtimeVersion.name}://${runtimeVersion.version}`,
        },
        state: stateOf(
          async () => ({
            pressure: upkeep.evictor.pressure(),
            problem: shutdown.isGoing
              ? 'node is shutting down'
              : await runtime.check().then(() => '', errorText),
            now: clock.now(),
          }),
          (reason) => tellNode('Normal', reason, `Node ${nodeName} status is now: ${reason}`),
        ),
        statusMs: ms(configuration.nodeStatusUpdateFrequency),
        reportMs: ms(configuration.nodeStatusReportFrequency),
        leaseSeconds: configuration.nodeLeaseDurationSeconds,
        urgent: urgent.passed,
      }
      const node = await registerNode(options, signal)
      if (node === undefined) return 'stopped'
      working.push(
        registerCsiNode(clients.own('node'), node).catch((error) =>
          log.error('the CSINode cannot be made', { node: nodeName }, error),
        ),
      )
      working.push(keepNode(options, signal), serviceInformer.run(signal))
      working.push(
        rotateCertificates(
          {
            ...{ client: clients.own('certificates'), configuration, own, platform, nodeName, log },
            ...{ certificateFolder: settings.certificateFolder },
            hosts: [...new Set([nodeName, machine.hostname, machine.address])],
          },
          signal,
        ),
      )
      const podInformer = createInformer(client.resource(pods), {
        ...{ clock, log, keepAlive: false, fieldSelector: `spec.nodeName=${nodeName}` },
      })
      working.push(podInformer.run(signal))
      await Promise.race([podInformer.synced, aborted(signal)])
      if (signal.aborted) return 'stopped'
      await Promise.race([serviceInformer.synced, aborted(signal)])
      await manifests.tried
      followServer(agent, podInformer, platform.domain)
    }
    await manifests.tried
    working.push(Promise.race([manifests.read.then(() => agent.endOthers()), aborted(signal)]))
    print(`ready ${nodeName}`)
    await Promise.all(working)
    return 'stopped'
  } finally {
    await ports?.stop()
    await health?.stop()
    if (endsPods) {
      await removeSandboxes(runtime)
      releaseVolumes(rootFolder)
    }
    await runtime.close()
    await clients?.close()
  }

  function logRuntime({ name, why }: RuntimeChoice): void {
    log.info('containers are run', { by: name, ...(why !== '' && { why }) })
  }

  function clientsOf(reached: NonNullable<typeof connection>): DaemonClients {
    return daemonClients({
      ...{ connection: reached, qps: configuration.orchAPIQPS, burst: configuration.orchAPIBurst },
      ...{ program: programName('agent', own), platform: own, clock, metrics },
    })
  }

  async function openHealth(checks: readonly HealthCheck[]): Promise<DaemonServer | undefined> {
    const { healthzPort, healthzBindAddress } = configuration
    if (healthzPort === 0) return undefined
    return serveDaemon({
      ...{ platform: own, clock, log, metrics },
      checks,
      listen: { host: healthzBindAddress, port: healthzPort },
    })
  }

  /** `tried` resolves when each source was tried once, `read` when each was read: until then it is not known which pods are theirs. */
  function followAllManifests(
    agent: Agent,
    nodeName: string,
    working: Promise<unknown>[],
  ): { readonly tried: Promise<unknown>; readonly read: Promise<unknown> } {
    const { staticPodPath = '', staticPodURL = '', staticPodURLHeader = {} } = configuration
    const origin = () => ({ nodeName, platform: own, now: clock.now() })
    const follow = (
      name: string,
      read: Parameters<typeof followManifests>[0]['read'],
      every: string,
    ) => {
      const [wasTried, wasRead] = [gate(), gate()]
      const tell: Parameters<typeof followManifests>[1] = (found, isWhole) => {
        agent.setPods(name, found)
        if (isWhole) wasRead.open()
      }
      const source = { read, everyMs: ms(every), clock, log }
      const following = followManifests(source, tell, wasTried.open, signal)
      working.push(following.then(wasTried.open))
      return { tried: wasTried.passed, read: wasRead.passed }
    }
    const sources = [
      ...(staticPodPath === ''
        ? []
        : [
            follow(
              'file',
              () => readManifestFolder(staticPodPath, origin()),
              configuration.fileCheckFrequency,
            ),
          ]),
      ...(staticPodURL === ''
        ? []
        : [
            follow(
              'http',
              () => readManifestUrl(staticPodURL, staticPodURLHeader, origin()),
              configuration.httpCheckFrequency,
            ),
          ]),
    ]
    return {
      tried: Promise.all(sources.map((source) => source.tried)),
      read: Promise.all(sources.map((source) => source.read)),
    }
  }
}

/** What others wait for until it is opened. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

/** Mirrors are told to the server, and not run: one that changed is told again. */
function followServer(agent: Agent, informer: Informer<Pod>, domain: string): void {
  const tell = () =>
    agent.setPods(
      'api',
      informer.cache.list().filter((pod) => !isMirror(pod, domain)),
    )
  const tellAgain = ({ metadata }: Stored<Pod>) => {
    if (isMirror({ metadata }, domain)) agent.tellAgain(metadata.namespace, metadata.name)
  }
  informer.on({
    added: tell,
    updated(pod) {
      if (pod.metadata.deletionTimestamp !== undefined) tellAgain(pod)
      tell()
    },
    deleted(pod) {
      tellAgain(pod)
      tell()
    },
  })
  tell()
}

/** Keeps pods away until a cloud provider has told where the node is. */
function cloudTaint(domain: string): Taint {
  const key = `node.cloudprovider.${domain}/uninitialized`
  return { key, value: 'true', effect: 'NoSchedule' }
}

/** Seconds that containers have to end whose cluster ends. */
const lastSeconds = 2

async function removeSandboxes(runtime: ContainerRuntime): Promise<void> {
  const containers = await runtime.listContainers()
  await Promise.all(containers.map(({ id }) => runtime.stopContainer(id, lastSeconds)))
  for (const { id } of await runtime.listPodSandboxes()) await runtime.removePodSandbox(id)
}
