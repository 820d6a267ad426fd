import { type Clock, pause } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'
import type { Body, Registry } from '../registry/registry.ts'
import type { CheckedPolicySpec } from './policy-type-checking.ts'

/** The kind of policies as they are stored, if a tree has it. */
export function policyKind({ routes, platform }: Scheme): AnyKind | undefined {
  const path = `apis/admissionregistration.${platform.api}/v1beta1/validatingadmissionpolicies`
  return Object.hasOwn(routes, path) ? routes[path] : undefined
}

export interface PolicyStatusControllerOptions {
  readonly registry: Registry
  readonly kind: AnyKind
  readonly clock: Clock
  readonly log: Log
}

/**
 * Tells authors of policies what the published schemas say of their expressions, in the policy's status. Each generation is
 * looked at once. Nothing is decided by it.
 */
export class PolicyStatusController {
  readonly #options: PolicyStatusControllerOptions

  constructor(options: PolicyStatusControllerOptions) {
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
    const { typeCheckingWarnings: warningsOf } = await import('./policy-type-checking.ts')
    const expressionWarnings = await warningsOf(registry.scheme, policy.spec ?? {})
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
