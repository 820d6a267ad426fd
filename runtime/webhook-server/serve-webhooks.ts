import { platform } from '../../generated/platform.ts'
import { publicNames } from '../../generated/well-known.ts'
import { type Client, otherGroupName } from '../client/client.ts'
import { type Clock, systemClock } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import {
  type Log,
  type Metrics,
  silentLog,
  type TracePropagation,
  type Tracer,
} from '../observe/observe.ts'
import { admissionHandler } from './admission/answer-admission.ts'
import {
  applyConfigurations,
  trustConfigurations,
  webhookLists,
  webhookPath,
} from './admission/configurations.ts'
import type { AnyAdmissionWebhook } from './admission/webhook.ts'
import type { CertificateFiles } from './certificate/serving-certificate.ts'
import { webhookNames } from './certificate/webhook-names.ts'
import { convertReview, type NamedConversions } from './conversion/convert-review.ts'
import {
  type ListenAddress,
  listenForReviews,
  type ReviewHandler,
  type ShownCertificate,
} from './serving/listener.ts'

/** Which webhooks are served, and how servers reach them. */
export interface ServeWebhooksOptions {
  /** Keeps the certificate in a secret and tells servers of it, with the rights that `orch package` gives; handlers get it, too. */
  readonly client: Client
  /** The operator's name and namespace: those that it is packaged with. */
  readonly name: string
  readonly namespace: string
  /** The generated scheme of the kinds whose versions are converted. Default: none. */
  readonly scheme?: Pick<Scheme, 'routes'>
  /** The admission webhooks. Default: none. */
  readonly webhooks?: readonly AnyAdmissionWebhook[]
  /** Where it listens. Default 9443 on every address; port 0 picks a free one. */
  readonly listen?: ListenAddress
  /** A certificate in files, in place of one in a secret; who makes it also tells servers of it. */
  readonly files?: CertificateFiles
  /**
   * Where servers reach it, such as `https://localhost:9443`, in place of the service of the package: for a program that runs outside of the
   * cluster. Its configurations of admission webhooks are then made by the program.
   */
  readonly url?: string
  /** Conversions by hand, by the names that `call` steps use. */
  readonly named?: NamedConversions
  readonly log?: Log
  readonly clock?: Clock
  /** Where reviews are counted. Default: nowhere. */
  readonly metrics?: Metrics
  /** Where each review is a span. Default: nowhere. */
  readonly tracer?: Tracer
  /** Takes up the trace that a server's request names. Default: each review begins a trace. */
  readonly propagation?: TracePropagation
}

/** A running server of webhooks. */
export interface WebhookServer {
  readonly port: number
  /** Closes it; what it is answering is finished first. */
  close(): Promise<void>
}

/** How often the certificate is looked at: copies of the program show a new one soon after one of them made it. */
const lookMs = 60_000

/**
 * Serves the webhooks of an operator over TLS: conversions of its kinds, and admission. Resolves when it listens and the
 * definitions and configurations know its certificate.
 *
 * @throws StatusError if the secret, the definitions or the configurations cannot be read or written.
 * @throws Error if the configurations of the package are not there.
 * @example
 * const server = await serveWebhooks({ client, name: 'shop-operator', namespace: 'shop-operator', scheme, webhooks: [shopWebhook] })
 */
export async function serveWebhooks(options: ServeWebhooksOptions): Promise<WebhookServer> {
  const { listen = { port: 9443 }, clock = systemClock, log = silentLog } = options
  const { certificate, tell } = certificatesOf(options)
  let current = await certificate(clock.now())
  const handlers = handlersOf(options)
  const listener = await listenForReviews({
    ...options,
    ...{ handlers, certificate: current, listen, clock, log },
  })
  const look = async (): Promise<void> => {
    const next = await certificate(clock.now())
    await tell(next, listener.port)
    if (next.cert !== current.cert) listener.show(next)
    current = next
  }
  await tell(current, listener.port).catch(async (error: unknown) => {
    await listener.close()
    throw error
  })
  const stop = repeat(clock, lookMs, () =>
    look().catch((error) => log.error('the certificate of the webhooks cannot be told', {}, error)),
  )
  return {
    port: listener.port,
    close() {
      stop()
      return listener.close()
    },
  }
}

/** What a local server of webhooks is made of. */
export interface LocalWebhooks {
  readonly client: Client
  readonly webhooks: readonly AnyAdmissionWebhook[]
  readonly clock: Clock
  readonly log: Log
}

/** The certificate of `localhost` in this process. It is for TLS, which goes by the machine's clock. */
let localCertificate: Promise<MadeCertificate> | undefined

/** Serves webhooks to a server on this machine, and tells it of them: for tests. */
export async function serveLocally(options: LocalWebhooks): Promise<WebhookServer> {
  const { client } = options
  localCertificate ??= madeFor(['localhost'], systemClock.now())
  const certificate = await localCertificate
  const handlers = handlersOf(options)
  const listen = { host: 'localhost', port: 0 }
  const { port, close } = await listenForReviews({ ...options, handlers, certificate, listen })
  const { webhooks } = options
  const url = new URL(`https://localhost:${port}`)
  try {
    await configure({ client, name: 'operator', webhooks, url, ca: certificate.ca })
  } catch (error) {
    await close()
    throw error
  }
  return { port, close }
}

/** What answers each path. */
function handlersOf({
  scheme,
  named,
  webhooks = [],
  client,
}: Pick<ServeWebhooksOptions, 'client' | 'named' | 'scheme' | 'webhooks'>): ReadonlyMap<
  string,
  ReviewHandler
> {
  const handlers = new Map<string, ReviewHandler>()
  if (scheme !== undefined) {
    const kinds = Object.values(scheme.routes)
    handlers.set('/convert', async (review) => convertReview(kinds, review, named))
  }
  for (const webhook of webhooks) {
    for (const step of ['mutate', 'validate'] as const) {
      if (webhook[step] === undefined) continue
      const path = webhookPath(webhook, step)
      if (handlers.has(path)) throw new Error(`two webhooks are called ${webhook.name}`)
      handlers.set(path, admissionHandler(webhook, step, { client, platform, publicNames }))
    }
  }
  return handlers
}

interface MadeCertificate extends ShownCertificate {
  readonly ca: string
}

/** Where a certificate comes from, and how servers get to know it. */
interface Certificates {
  certificate(now: number): Promise<ShownCertificate & { readonly ca?: string }>
  tell(certificate: { readonly ca?: string }, port: number): Promise<void>
}

/** Their code is loaded here: programs that serve no webhooks do not pay for it. */
function certificatesOf(options: ServeWebhooksOptions): Certificates {
  const { files, url, client, name, namespace, webhooks = [], scheme } = options
  if (url !== undefined) {
    const place = new URL(url)
    return {
      certificate: renewed([place.hostname]),
      async tell({ ca = '' }, port) {
        if (place.port === '') place.port = String(port)
        await configure({ client, name, webhooks, url: place, ca })
      },
    }
  }
  const load = () => import('./certificate/serving-certificate.ts')
  if (files !== undefined) {
    return { certificate: async () => (await load()).certificateInFiles(files), async tell() {} }
  }
  const names = webhookNames(name, namespace)
  const definitions = convertedDefinitions(Object.values(scheme?.routes ?? {}))
  return {
    certificate: async (now) => (await load()).keptCertificate({ client, namespace, names }, now),
    async tell({ ca = '' }) {
      const bundle = Buffer.from(ca).toString('base64')
      const { trustDefinitions } = await load()
      await trustDefinitions(client, definitions, bundle)
      await trustConfigurations(client, name, names.service, webhooks, bundle)
    },
  }
}

/** A certificate that is kept in memory, and made anew before it ends. */
function renewed(hosts: readonly string[]): (now: number) => Promise<MadeCertificate> {
  let made: MadeCertificate | undefined
  return async (now) => {
    const { isGood } = await import('./certificate/serving-certificate.ts')
    if (made === undefined || !isGood(made, hosts, now)) made = await madeFor(hosts, now)
    return made
  }
}

async function madeFor(hosts: readonly string[], now: number): Promise<MadeCertificate> {
  const { createServingCertificate } = await import('./certificate/certificate.ts')
  return createServingCertificate(hosts, now)
}

/** Makes the configurations of webhooks that are reached by a URL. The server may call groups by either name. */
async function configure({
  client,
  name,
  webhooks,
  url,
  ca,
}: {
  readonly client: Client
  readonly name: string
  readonly webhooks: readonly AnyAdmissionWebhook[]
  readonly url: URL
  readonly ca: string
}): Promise<void> {
  const caBundle = Buffer.from(ca).toString('base64')
  const lists = webhookLists(webhooks, {
    clientConfig: (path) => ({ url: new URL(path, url).href, caBundle }),
    groups: ({ group }) => {
      const other = otherGroupName(group, platform)
      return other === undefined ? [group] : [group, other]
    },
  })
  await applyConfigurations(client, name, lists)
}

/** The definitions whose versions differ in more than their names. */
function convertedDefinitions(kinds: readonly AnyKind[]): readonly string[] {
  const converted = kinds.filter(
    ({ storageVersion }) => (storageVersion?.conversion.length ?? 0) > 0,
  )
  return [...new Set(converted.map(({ plural, group }) => `${plural}.${group}`))].sort()
}

/** Runs `work` again and again, each time after the one before has ended, until the returned function is called. */
function repeat(clock: Clock, ms: number, work: () => Promise<void>): () => void {
  let stopped = false
  let cancel = () => {}
  const next = (): void => {
    cancel = clock.after(ms, async () => {
      await work()
      if (!stopped) next()
    })
  }
  next()
  return () => {
    stopped = true
    cancel()
  }
}
