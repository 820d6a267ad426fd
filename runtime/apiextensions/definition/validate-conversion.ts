import type { WebhookConversion } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { dns1035LabelProblems } from '../../kernel/meta/names.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import {
  forbidden,
  invalid,
  invalidAll,
  required,
  unsupported,
} from '../../kernel/validation/field-errors.ts'
import { flagDuplicates } from '../../kernel/values/duplicates.ts'
import { checkClientConfig } from '../../webhook/webhook.ts'
import type { Definition } from './definition.ts'

/**
 * The versions of ConversionReview that the server knows, the preferred one first. Which of them is
 * used is the order of the definition, not this one (C-20).
 */
export const reviewVersions: readonly string[] = ['v1', 'v1beta1']

const strategies: readonly string[] = ['None', 'Webhook']

/**
 * The field errors of a definition's conversion (supplement C-01, C-20). An unknown strategy ends
 * the validation, because what else is allowed depends on it. A missing conversion is None.
 */
export function validateConversion(
  { spec }: Definition,
  old: Definition | undefined,
): readonly FieldError[] {
  const path = 'spec.conversion'
  const { strategy = 'None', webhook } = spec.conversion ?? {}
  const preserving =
    strategy !== 'None' && spec.preserveUnknownFields === true
      ? [
          invalid(
            `${path}.strategy`,
            strategy,
            'must be None if spec.preserveUnknownFields is true',
          ),
        ]
      : []
  return [...preserving, ...strategyErrors(strategy, webhook, old, path)]
}

function strategyErrors(
  strategy: string,
  webhook: WebhookConversion | undefined,
  old: Definition | undefined,
  path: string,
): readonly FieldError[] {
  if (!strategies.includes(strategy)) {
    return [unsupported(`${path}.strategy`, strategy, strategies)]
  }
  const config = webhook?.clientConfig
  const configPath = `${path}.webhookClientConfig`
  if (strategy === 'None') {
    const reason = 'should not be set when strategy is not set to Webhook'
    const isSet = (webhook?.conversionReviewVersions ?? []).length > 0
    return [
      ...(config ? [forbidden(configPath, reason)] : []),
      ...(isSet ? [forbidden(`${path}.conversionReviewVersions`, reason)] : []),
    ]
  }
  return [
    ...(config
      ? checkClientConfig(configPath, config)
      : [required(configPath, 'required when strategy is set to Webhook')]),
    ...validateReviewVersions(webhook, old?.spec.conversion?.webhook, path),
  ]
}

/**
 * A list without a known version is accepted in an update if the old one had none either. The old
 * one was accepted by a server that knew other versions; an unrelated change must not be held up by
 * it. Names are checked for their form only, so that versions of later servers can be listed.
 */
function validateReviewVersions(
  webhook: WebhookConversion | undefined,
  old: WebhookConversion | undefined,
  conversionPath: string,
): readonly FieldError[] {
  const path = `${conversionPath}.conversionReviewVersions`
  const versions = webhook?.conversionReviewVersions ?? []
  if (versions.length === 0) return [required(path)]
  const isDuplicate = flagDuplicates(versions)
  const each = versions.flatMap((version, index) =>
    isDuplicate[index]
      ? [invalid(`${path}[${index}]`, version, 'duplicate version')]
      : invalidAll(`${path}[${index}]`, version, dns1035LabelProblems(version)),
  )
  const isTolerated = old !== undefined && !hasKnownVersion(old)
  if (hasKnownVersion(webhook) || isTolerated) return each
  const reason = `must include at least one of ${reviewVersions.join(', ')}`
  return [...each, invalid(path, versions, reason)]
}

function hasKnownVersion(webhook: WebhookConversion | undefined): boolean {
  return (webhook?.conversionReviewVersions ?? []).some((one) => reviewVersions.includes(one))
}
