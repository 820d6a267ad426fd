import { services } from '../../../generated/apis/core/v1/service.ts'
import { type EndpointSlice, endpointSlices } from '../../../generated/apis/discovery/v1.ts'
import type { Client } from '../../client/client.ts'
import { createInformer, type Informer } from '../../informer/informer.ts'
import { orAborted } from '../../kernel/async/abort-signal.ts'
import { type Clock, pause, type Random } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import { planServices } from '../decision/plan-services.ts'
import { chooseWay } from './choose-way.ts'
import { healthPorts } from './health-ports.ts'

/** What is led, and how. */
export interface ServiceProxyOptions {
  /** May read services and slices. */
  readonly client: Client
  readonly platform: Platform
  readonly nodeName: string
  /** The addresses at which ports of the node are. */
  readonly nodeAddresses: readonly string[]
  /** Default: nftables where the machine lets us have them. */
  readonly way?: 'nftables' | 'userland' | undefined
  /** The name of the table of nftables: two proxies on one machine have two. */
  readonly table: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Hears how services are led, and why not better. */
  readonly onWay?: (way: { readonly name: string; readonly why: string }) => void
}

/** Changes that come together are led together: so long after the first one, in milliseconds. */
const gatherMs = 50
/** What failed is tried again after so long. */
const retryMs = 5_000

/** Leads services until `signal` aborts; then nothing of it is left. @throws an Error if the way that was asked for cannot be used. */
export async function runServiceProxy(
  options: ServiceProxyOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, platform, nodeName, nodeAddresses, clock, log } = options
  const usual = { clock, log, keepAlive: false }
  const serviceInformer = createInformer(client.resource(services), usual)
  const sliceInformer = createInformer(client.resource(endpointSlices), {
    ...usual,
    indexers: { service: (slice) => serviceOf(slice, platform.domain) },
  })
  const way = await chooseWay(options)
  const health = healthPorts(nodeAddresses, log)
  options.onWay?.(way)
  const change = new Change()
  const running = [follow(serviceInformer), follow(sliceInformer)]
  try {
    await orAborted(Promise.all([serviceInformer.synced, sliceInformer.synced]), signal)
    while (!signal.aborted) {
      change.taken()
      await leadAll()
      await orAborted(change.next(), signal)
      await pause(clock, gatherMs, signal)
    }
  } finally {
    health.stop()
    await way.stop()
    await Promise.all(running)
  }

  function follow<T extends ApiObject>(informer: Informer<T>): Promise<void> {
    const tell = (): void => change.tell()
    informer.on({ added: tell, updated: tell, deleted: tell })
    return informer.run(signal)
  }

  async function leadAll(): Promise<void> {
    const { frontends, healthPorts: ports } = planServices({
      ...{ services: serviceInformer.cache.list(), nodeName, domain: platform.domain },
      slicesOf: ({ metadata }) =>
        sliceInformer.cache.index('service', `${metadata.namespace}/${metadata.name}`),
    })
    health.serve(ports)
    try {
      await way.lead(frontends)
    } catch (error) {
      log.error('services cannot be led now', {}, error)
      clock.after(retryMs, () => change.tell())
    }
  }
}

/** The services that a slice is of. */
function serviceOf({ metadata }: Stored<EndpointSlice>, domain: string): readonly string[] {
  const name = metadata.labels?.[`${domain}/service-name`]
  return name === undefined ? [] : [`${metadata.namespace}/${name}`]
}

/** That something changed. */
class Change {
  #is = false
  #wake = (): void => {}

  tell(): void {
    this.#is = true
    this.#wake()
  }

  taken(): void {
    this.#is = false
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#is) resolve()
      else this.#wake = resolve
    })
  }
}
