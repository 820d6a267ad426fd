import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Attributes } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import { RequestMatcher } from '../matching/request-matcher.ts'
import type { Webhook } from './configurations.ts'
import { MatchConditions } from './match-conditions.ts'

/** Decides which webhooks are called for a request: rules, then selectors, then match conditions (supplement Q-07). */
export class WebhookMatcher {
  readonly #requests: RequestMatcher
  readonly #conditions: MatchConditions

  constructor(context: PluginContext) {
    this.#requests = new RequestMatcher(context)
    this.#conditions = new MatchConditions(context)
  }

  /**
   * The version of the resource to call the webhook with; undefined if it is not called.
   *
   * @throws StatusError if the namespace does not exist, or match conditions fail and the failure policy is Fail
   */
  async matchingVersion(webhook: Webhook, attributes: Attributes): Promise<AnyKind | undefined> {
    const { rules, equivalent } = webhook
    const version = this.#requests.versionMatchedBy(rules, equivalent, attributes)
    if (version === undefined) return undefined
    if (!(await this.#requests.selectorsMatch(webhook, attributes))) return undefined
    return (await this.#conditions.hold(webhook, version, attributes)) ? version : undefined
  }
}
