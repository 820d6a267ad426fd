import type { EncryptionConfiguration } from '../../../generated/config/encryption/v1.ts'
import type { HealthCheck } from '../../daemon/daemon.ts'
import type { EncryptedStore, EncryptionRules } from '../../encryption/encryption.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Metrics } from '../../observe/observe.ts'
import { resourceOfKey } from '../../registry/registry.ts'
import type { LogStore } from '../../store/store.ts'
import { defined } from '../defined.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { ApiServerOptions } from '../options.ts'

/** What a server with encryption has beside its store. */
export interface Encryption {
  readonly store: LogStore
  /** True for a key whose value would be stored otherwise now. */
  isOutdated(key: string): boolean
  /** Fails while a key service is not well. */
  readonly check: HealthCheck
  /** Encrypts by another configuration from now on. @throws Error that says what it could not decrypt; the former one stays. */
  replace(configuration: Awaitable<EncryptionConfiguration>): Promise<void>
}

/** What it is started with. */
export interface EncryptionStart extends Pick<ApiServerOptions, 'clock' | 'log'> {
  readonly configuration: EncryptionConfiguration
  readonly metrics: Metrics | undefined
  /** Most bytes of an object. */
  readonly objectBytes: number | undefined
}

/** Puts encryption over a store, and starts what its providers do. The code is loaded here: most servers have none. */
export async function startEncryption(
  store: LogStore,
  { configuration, clock, log, metrics, objectBytes }: EncryptionStart,
  lifecycle: Lifecycle,
): Promise<Encryption> {
  const encryption = await import('../../encryption/encryption.ts')
  const rulesOf = (next: EncryptionConfiguration): Promise<EncryptionRules> =>
    encryption.encryptionRules(next, { clock, log })
  let opened: EncryptedStore | undefined
  const examine = (): void => {
    opened
      ?.examineAnew()
      .catch((error: unknown) => log.error('cannot look for outdated objects', {}, error))
  }
  const running = new RunningProviders(lifecycle, examine)
  let rules = await rulesOf(configuration)
  let stop = await running.start(rules)
  const encrypted = await encryption.openEncryptedStore(store, {
    rules,
    resourceOf: resourceOfKey,
    metrics: encryption.encryptionMetrics(metrics, clock),
    clock,
    onUnreadable: (problem) =>
      log.error('what another server wrote is waited for: it cannot be decrypted', { problem }),
    ...defined({ maxValueBytes: objectBytes }),
  })
  opened = encrypted
  log.info('objects are encrypted', { outdated: encrypted.outdated })
  return {
    store: encrypted,
    isOutdated: (key) => encrypted.isOutdated(key),
    check: {
      name: 'kms-providers',
      check: () => {
        for (const provider of rules.providers) provider.check?.()
      },
    },
    replace: counted(metrics, async (next) => {
      const nextRules = await rulesOf(await next)
      const stopNext = await running.start(nextRules)
      try {
        await encrypted.replaceRules(nextRules)
      } catch (error) {
        stopNext()
        throw error
      }
      stop()
      ;[rules, stop] = [nextRules, stopNext]
      log.info('objects are encrypted by another configuration', { outdated: encrypted.outdated })
    }),
  }
}

/** Counts how replacing went. */
function counted(
  metrics: Metrics | undefined,
  replace: Encryption['replace'],
): Encryption['replace'] {
  const name = 'apiserver_encryption_config_controller_automatic_reload'
  return async (next) => {
    try {
      await replace(next)
      metrics?.counter(`${name}_success_total`).add([])
    } catch (error) {
      metrics?.counter(`${name}_failures_total`).add([])
      throw error
    }
  }
}

/** The providers that do something besides, such as asking a key service whether it is well. */
class RunningProviders {
  readonly #lifecycle: Lifecycle
  /** Called when a provider encrypts otherwise than before. */
  readonly #changed: () => void

  constructor(lifecycle: Lifecycle, changed: () => void) {
    this.#lifecycle = lifecycle
    this.#changed = changed
  }

  /** Resolves once each can encrypt, or cannot for now; what it gives stops them. */
  async start({ providers }: EncryptionRules): Promise<() => void> {
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, this.#lifecycle.signal])
    const started = await Promise.all(
      providers.map((provider) => provider.start?.(signal, this.#changed)),
    )
    for (const one of started) if (one !== undefined) this.#lifecycle.run(() => one.ended)
    return () => stop.abort()
  }
}
