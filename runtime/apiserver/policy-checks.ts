import type { AnyKind } from '../kernel/kind.ts'
import { type ApiObject, apiVersionOf } from '../kernel/object.ts'
import { isStatus } from '../kernel/status.ts'
import { type Clock, pause } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import type { Log } from '../observe/observe.ts'
import type { Body, Registry } from '../registry/registry.ts'
import type { CheckedPolicySpec } from './policy-warnings.ts'

/** The kind of policies as they are stored, if a tree has it. */
export function policyKind({ routes, platform }: Tree): AnyKind | undefined {
  const path = `apis/admissionregistration.${platform.api}/v1beta1/validatingadmissionpolicies`
  return Object.hasOwn(routes, path) ? routes[path] : undefined
}

export interface PolicyChecksOptions {
  readonly registry: Registry
  readonly kind: AnyKind
  readonly clock: Clock
  readonly log: Log
}

/**
 * Tells authors of policies what the published schemas say of their expressions, in the policy's status. Each generation is
 * looked at once. Nothing is decided by it.
 */
export class PolicyChecks {
  readonly #options: PolicyChecksOptions

  constructor(options: PolicyChecksOptions) {
    this.#options = options
  }

  /** Follows the store until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { registry, kind, clock, log } = this.#options
    while (!signal.aborted) {
      try {
        for await (const batch of registry.watch({ kind }, { bookmarks: false }, signal)) {
          for (const { type, item } of batch) {
            if (type !== 'DELETED' && type !== 'BOOKMARK') await this.#check(item.object())
          }
        }
      } catch (error) {
        if (signal.aborted) return
        log.warn('policies not checked', { reason: String(error) })
      }
      await pause(clock, 200, signal)
    }
  }

  async #check(policy: Policy): Promise<void> {
    const { registry, kind, log } = this.#options
    const { name = '', generation = 0 } = policy.metadata
    if (generation <= (policy.status?.observedGeneration ?? 0)) return
    const { warningsOf } = await import('./policy-warnings.ts')
    const expressionWarnings = await warningsOf(registry.tree, policy.spec ?? {})
    const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings }
    const body = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name },
      status: { observedGeneration: generation, typeChecking },
    }
    const options = { dryRun: false, fieldValidation: 'Ignore', manager, force: true } as const
    try {
      await registry.patch({ kind, name, subresource: 'status' }, 'apply', bodyOf(body), options)
    } catch (error) {
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) {
        log.warn('policy not checked', { name, reason: String(error) })
      }
    }
  }
}

const manager = 'validatingadmissionpolicy-status'

interface Policy extends ApiObject {
  readonly spec?: CheckedPolicySpec
  readonly status?: { readonly observedGeneration?: number }
}

function bodyOf(value: object): Body {
  return { value: value as Body['value'], duplicates: [] }
}
