/** The control loops of the server: what each needs, what must hold before the server is ready, and when it runs. */
import { randomUUID } from 'node:crypto'
import { type PluginContext, validatingAdmissionPolicyGate } from '../admission/admission.ts'
import { firstAddress, type Pools, type ServiceRanges } from '../apis/apis.ts'
import { type Client, createClient, type Transport } from '../client/client.ts'
import {
  ApiServices,
  advertisedAddress,
  allocationController,
  apiServiceKind,
  clusterAuthenticationController,
  configMapKind,
  definitionKind,
  expirationController,
  flowControlController,
  flowControlKinds,
  isRemoteVersion,
  leaveServerService,
  loadAccessControllers,
  loadIdentityControllers,
  managerLease,
  namespaceController,
  policyKind,
  policyStatusController,
  repairAllocations,
  type ServedContent,
  ServerPresence,
  serverServiceController,
  syncClusterAuthentication,
  syncFlowControl,
  syncServerService,
  waitForDefinition,
  waitForRemoteVersion,
  whileLeaseIsFree,
} from '../controllers/controllers.ts'
import { aborted } from '../kernel/async/abort-signal.ts'
import { pause } from '../kernel/async/clock.ts'
import { enabledGatesOf } from '../kernel/descriptors/enabled-gates.ts'
import { storedKind } from '../kernel/descriptors/kind.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../kernel/meta/object.ts'
import { createLoopbackClient } from '../loopback/loopback.ts'
import type { Metrics } from '../observe/observe.ts'
import { createManager, type KeyController } from '../reconcile/reconcile.ts'
import {
  createAllocationTable,
  createServerTable,
  namespaceKind,
  type Registry,
  withoutConversion,
} from '../registry/registry.ts'
import type { ApiServer } from '../server/server.ts'
import type { Serving } from '../serving/serving.ts'
import { isSharedStore } from '../store/store.ts'
import type { WatchCache } from '../watch/watch.ts'
import type { AggregationHost } from './aggregation/aggregation.ts'
import type { CustomResources } from './custom-resources.ts'
import { lazyResource } from './lazy-resource.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { ApiServerOptions } from './options.ts'
import { trustChanges } from './serving/trust-changes.ts'

/** How long a server that stops tries to take back what says that it is there. */
const leaveMs = 3000

/** What control loops run on. */
export interface ControllerHostOptions {
  readonly options: ApiServerOptions
  /** The part of the scheme that clients see. */
  readonly shown: Scheme
  readonly registry: Registry
  readonly lifecycle: Lifecycle
}

/** Runs the control loops of one server over an in-process client. */
export class ControllerHost {
  readonly #options: ApiServerOptions
  readonly #shown: Scheme
  readonly #registry: Registry
  readonly #lifecycle: Lifecycle
  readonly #client: Client
  /** A client whose requests are passed on to other servers, where there are any. */
  #passing: Client | undefined
  /** What every process of the server runs for itself from the end of the start on. */
  readonly #local: KeyController[] = []
  /** What one of them runs. */
  readonly #controllers: KeyController[] = []
  /** Those of them that a controller manager runs in this one's place, where there is one. */
  readonly #managed: KeyController[] = []
  readonly #leaving: (() => Promise<void>)[] = []
  #isStarted = false

  constructor({ options, shown, registry, lifecycle }: ControllerHostOptions) {
    this.#options = options
    this.#shown = shown
    this.#registry = registry
    this.#lifecycle = lifecycle
    const manager = `${options.scheme.platform.prefix}-apiserver`
    this.#client = createLoopbackClient({ registry, manager })
  }

  /** Adds the loops of namespaces and of objects that stay for a time only. */
  addLifetimes(): void {
    const { scheme, eventTtlMs } = this.#options
    const kind = namespaceKind(scheme)
    if (kind !== undefined) {
      const served = (signal: AbortSignal) => this.#served(signal)
      this.#managed.push(namespaceController({ kind, platform: scheme.platform, served }))
    }
    const kinds = Object.values(scheme.routes).filter(({ ttlSeconds }) => ttlSeconds !== undefined)
    for (const kind of new Set(kinds.map(storedKind))) {
      const ttlMs = eventTtlMs ?? (kind.ttlSeconds ?? 0) * 1000
      if (ttlMs > 0) this.#controllers.push(expirationController({ kind, ttlMs }))
    }
  }

  /** What objects may be of: the kinds of this server, and those of servers to which it passes requests on. */
  async #served(signal: AbortSignal): Promise<readonly ServedContent[]> {
    const { routes } = this.#registry.scheme
    const kinds = Object.values(routes).map(withoutConversion)
    const own = { client: this.#client, kinds, unknown: [] }
    if (this.#passing === undefined) return [own]
    const client = this.#passing
    const all = await client.discover(signal)
    const versions = new Set(kinds.map(apiVersionOf))
    const others = all.kinds.filter((kind) => !versions.has(apiVersionOf(kind)))
    return [own, { client, kinds: others, unknown: all.unknown }]
  }

  /** Repairs the allocations of common ranges, and adds the loop that goes on with it. */
  async addAllocations(store: WatchCache, pools: Pools): Promise<void> {
    const { scheme, log } = this.#options
    const kinds = Object.values(scheme.routes)
    const allocations = createAllocationTable(store)
    const options = { client: this.#client, allocations, kinds, pools, log }
    await repairAllocations(options)
    this.#controllers.push(allocationController(options))
  }

  /** Where admission policies are in force, their authors are told of mistakes in their status. */
  addPolicyStatus(): void {
    const { scheme, gates = enabledGatesOf(scheme) } = this.#options
    const kind = policyKind(scheme)
    if (kind === undefined || !gates.has(validatingAdmissionPolicyGate)) return
    this.#controllers.push(policyStatusController({ kind, scheme: () => this.#registry.scheme }))
  }

  /** Where the scheme has the kinds of flow control, their objects are what `server` limits requests by. */
  async addFlowControl(server: Pick<ApiServer, 'configureFlow'>): Promise<void> {
    const { scheme, clock, fairness } = this.#options
    const kinds = flowControlKinds(scheme)
    const facts = scheme.flowControl
    if (kinds === undefined || facts === undefined || fairness === false) return
    const options = { kinds, facts, configure: server.configureFlow }
    await syncFlowControl(options, this.#client, clock)
    this.#local.push(flowControlController(options))
  }

  /** Where rights come from roles, those of the cluster itself are there, and roles that are made of others are kept. */
  async addAccess(): Promise<void> {
    const { scheme, authorization, gates = enabledGatesOf(scheme) } = this.#options
    if (scheme.access === undefined || !authorization?.modes.includes('RBAC')) return
    const { accessKinds, roleAggregationController, ...sync } = await loadAccessControllers()
    const kinds = accessKinds(scheme)
    if (kinds === undefined) return
    await sync.syncDefaultAccess({ kinds, facts: await scheme.access(), gates }, this.#client)
    await sync.syncRoleAggregation(kinds.clusterRoles, this.#client)
    this.#managed.push(roleAggregationController(kinds.clusterRoles))
  }

  /** The server is found by a service, like any other program of the cluster. */
  async addServerService(store: WatchCache, ranges: ServiceRanges, url: string): Promise<void> {
    const { log, listen, secure, advertiseAddress, servicePort, storage, clock } = this.#options
    const clusterIP = firstAddress(ranges)
    if (clusterIP === undefined || !this.#isFirst) return
    const address = advertiseAddress ?? advertisedAddress((secure ?? listen)?.host ?? '127.0.0.1')
    const advertised = url !== '' && address !== undefined && { address, port: portOf(url) }
    const presence =
      advertised && isSharedStore(storage)
        ? new ServerPresence(createServerTable(store), advertised, clock)
        : undefined
    const options = {
      scheme: this.#registry.scheme,
      clusterIP,
      ...(servicePort !== undefined && { servicePort }),
      ...(advertised && { advertised }),
      ...(presence && { presence }),
    }
    await syncServerService(options, this.#client, log)
    if (presence !== undefined) {
      this.#onLeave(() => leaveServerService(options, this.#client, log))
    }
    this.#controllers.push(serverServiceController(options))
  }

  /** Where the scheme shows the kind of group versions, requests about it find an object of each. */
  apiServices(): { readonly registry: Registry; serve(scheme: Scheme): void } | undefined {
    const kind = apiServiceKind(this.#shown)
    if (kind === undefined) return undefined
    const { log } = this.#options
    const services = new ApiServices({ client: this.#client, kind, scheme: this.#shown, log })
    this.#lifecycle.run(async (signal) => {
      await Promise.race([services.requested, aborted(signal)])
      if (!signal.aborted) await this.#run([services.controller()], signal)
    })
    return {
      registry: lazyResource(this.#registry, kind, () => services.ready()),
      serve: (scheme) => services.serve(scheme),
    }
  }

  /**
   * Where the scheme has definitions, the kinds that they make are served beside its own. What makes them is loaded when
   * there is a definition.
   */
  async addDefinitions(
    server: Pick<ApiServer, 'replaceScheme'>,
    store: WatchCache,
    resolve: PluginContext['resolve'],
  ): Promise<void> {
    const kind = definitionKind(this.#shown)
    if (kind === undefined) return
    const client = this.#client
    let custom: CustomResources | undefined
    const serve = async () => {
      const { customResources } = await import('./custom-resources.ts')
      const host = { kind, shown: this.#shown, client, store, registry: this.#registry, server }
      custom = await customResources({ ...this.#options, resolve }, host)
      await custom.sync()
    }
    this.#lifecycle.signal.addEventListener('abort', () => custom?.close())
    if ((await this.#registry.list({ kind }, {})).items.length > 0) await serve()
    this.#lifecycle.run(async (signal) => {
      const isNeeded = custom ?? (await waitForDefinition(client, kind, this.#options, signal))
      if (isNeeded === false) return
      if (custom === undefined) await serve()
      if (custom !== undefined) await this.#run(custom.controllers, signal)
    })
  }

  /**
   * Where an object names another server, that one answers for its group version. What passes requests on is loaded when there is such an
   * object.
   */
  async addAggregation({ server, metrics, certificate }: AggregationParts): Promise<void> {
    const kind = apiServiceKind(this.#shown)
    if (kind === undefined) return
    const [client, registry] = [this.#client, this.#registry]
    const open = async () => {
      const { openAggregation } = await import('./aggregation/aggregation.ts')
      const { signal } = this.#lifecycle
      const serve: AggregationHost['serve'] = (servers) => server.passOnTo(servers)
      const host = { kind, client, registry, metrics, certificate, serve, signal }
      this.#passing = passingClient(server, this.#options.scheme.platform)
      return openAggregation(this.#options, host)
    }
    const { items } = await registry.list({ kind }, {})
    const known = items.some((item) => isRemoteVersion(item.object())) ? await open() : undefined
    await known?.sync()
    this.#lifecycle.run(async (signal) => {
      const isNeeded = known ?? (await waitForRemoteVersion(client, kind, this.#options, signal))
      if (isNeeded === false) return
      const aggregation = known ?? (await open())
      if (aggregation !== undefined) await this.#run(aggregation.controllers, signal)
    })
  }

  /** Where clients or proxies are known by certificates, other servers of the cluster find out by which. */
  async addClusterAuthentication({ trusted }: Serving): Promise<void> {
    const { scheme, secure: { clientAuthorities, requestHeader } = {}, clock } = this.#options
    const kind = configMapKind(scheme)
    if (kind === undefined || !(clientAuthorities ?? requestHeader)) return
    const { allowedNames = [], usernameHeaders = [], groupHeaders = [] } = requestHeader ?? {}
    const { extraHeaderPrefixes = [] } = requestHeader ?? {}
    const current = () => ({
      ...{ clients: trusted.clients, proxies: trusted.proxies },
      ...{ allowedNames, usernameHeaders, groupHeaders, extraHeaderPrefixes },
    })
    const namespace = `${scheme.platform.prefix}-system`
    const options = { kind, namespace, current, changes: trustChanges(trusted, namespace) }
    await syncClusterAuthentication(options, this.#client, clock.now())
    this.#controllers.push(clusterAuthenticationController(options))
  }

  /** Where the server has a name, others see by its lease that it is there, until it stops, and since when tokens are tracked. */
  addIdentity(): void {
    const { scheme, hostname, gates = enabledGatesOf(scheme), log } = this.#options
    if (hostname === undefined || !this.#isFirst) return
    const identity = { scheme, hostname, gates, process: randomUUID() }
    this.#lifecycle.run(async (signal) => {
      const { identityControllers } = await loadIdentityControllers()
      await this.#run(identityControllers(identity), signal)
    })
    this.#onLeave(async () => {
      const { leaveIdentity } = await loadIdentityControllers()
      await leaveIdentity(identity, this.#client, log)
    })
  }

  /** What others wait for otherwise that see the server as it was. */
  #onLeave(leave: () => Promise<void>): void {
    if (this.#leaving.length === 0) this.#lifecycle.onStop(() => this.#leave())
    this.#leaving.push(leave)
  }

  /** A store that is away is not waited for: what the server does not take back is over by itself. */
  async #leave(): Promise<void> {
    const left = new AbortController()
    const all = Promise.all(this.#leaving.map((leave) => leave()))
    await Promise.race([all, pause(this.#options.clock, leaveMs, left.signal)])
    left.abort()
  }

  /** True from `start` on: all that must hold before the server is ready holds. */
  get isStarted(): boolean {
    return this.#isStarted
  }

  /** True for the process that does what a server of several does once. */
  get #isFirst(): boolean {
    return (this.#options.group?.number ?? 1) === 1
  }

  /** Runs the loops that were added until the server stops. */
  start(): void {
    this.#isStarted = true
    this.#lifecycle.run((signal) => this.#run(this.#local, signal))
    if (!this.#isFirst) return
    const { controllersElsewhere: elsewhere = [], scheme, clock } = this.#options
    const managed = this.#managed.filter(({ name }) => !elsewhere.includes(name))
    if (managed.length < this.#managed.length) {
      this.#lifecycle.run((signal) => this.#run([...this.#controllers, ...managed], signal))
      return
    }
    this.#lifecycle.run((signal) => this.#run(this.#controllers, signal))
    const lease = managerLease(scheme)
    this.#lifecycle.run((signal) =>
      lease === undefined
        ? this.#run(managed, signal)
        : whileLeaseIsFree(lease, { client: this.#client, clock, signal }, (free) =>
            this.#run(managed, free),
          ),
    )
  }

  async #run(controllers: readonly KeyController[], signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    const manager = createManager({
      client: this.#client,
      controllers,
      clock,
      log,
      keepAlive: false,
    })
    await manager.run(signal)
  }
}

/** A client of the server that does what is asked of it as the server itself. */
function passingClient(server: Pick<ApiServer, 'dispatch'>, platform: Platform): Client {
  const send: Transport['send'] = (request) => server.dispatch(request)
  const manager = `${platform.prefix}-apiserver`
  return createClient({ send, close: async () => {} }, { manager, platform })
}

/** What passing requests on needs of the server. */
interface AggregationParts {
  readonly server: Pick<ApiServer, 'passOnTo' | 'dispatch'>
  readonly metrics: Metrics | undefined
  readonly certificate: AggregationHost['certificate']
}

/** The port of an address, which leaves out the usual one. */
function portOf(address: string): number {
  const { port, protocol } = new URL(address)
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}
