import {
  type AuditOptions,
  type Auditor,
  type AuditorDependencies,
  type AuditWebhookOptions,
  createAuditor,
} from '../../audit/audit.ts'
import type { Clock } from '../../kernel/async/clock.ts'

/** What is recorded, and where it goes. */
export interface AuditSettings extends Omit<AuditOptions, 'webhook'> {
  readonly webhook?: AuditWebhookSettings
}

/** A webhook at the address of an orchconfig. */
export interface AuditWebhookSettings extends Omit<AuditWebhookOptions, 'post'> {
  readonly orchconfig: string
}

/** Milliseconds for the answer to one list of records. */
const timeoutMs = 30_000

/** Most bytes of an answer, of which nothing is read but its status. */
const mostBytes = 64 * 1024

/**
 * Opens the outputs of the audit.
 *
 * @throws the error of node:fs if the file of the log cannot be opened; StatusError with everything that is wrong with the
 * orchconfig of the webhook.
 */
export async function startAudit(
  { webhook, ...settings }: AuditSettings,
  dependencies: AuditorDependencies,
): Promise<Auditor> {
  if (webhook === undefined) return createAuditor(settings, dependencies)
  const { orchconfig, ...options } = webhook
  const { post, close } = await postingTo(orchconfig, dependencies.clock)
  const auditor = createAuditor({ ...settings, webhook: { ...options, post } }, dependencies)
  return {
    ...auditor,
    async stop() {
      await auditor.stop()
      await close()
    },
  }
}

/** Sends lists of records; every status beyond success is a failure. */
async function postingTo(
  orchconfig: string,
  clock: Clock,
): Promise<Pick<AuditWebhookOptions, 'post'> & { readonly close: () => Promise<void> }> {
  const { connectWebhook } = await import('./webhook-connection.ts')
  const connection = await connectWebhook(orchconfig, { clock, mostBytes })
  return {
    async post(list, signal) {
      const deadline = new AbortController()
      const cancel = clock.after(timeoutMs, () => deadline.abort())
      try {
        const { status } = await connection.post(list, AbortSignal.any([deadline.signal, signal]))
        if (status < 200 || status > 299)
          throw new Error(`webhook ${connection.host}: status ${status}`)
      } catch (error) {
        if (!deadline.signal.aborted) throw error
        throw new Error(`webhook ${connection.host}: no answer within ${timeoutMs / 1000} s`)
      } finally {
        cancel()
      }
    },
    close: () => connection.close(),
  }
}
