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
import type { ConversionWebhook, Definition } from '../definition/definition.ts'

/** Forms of the question that this server can ask, the preferred one first. */
export const reviewVersions: readonly string[] = ['v1', 'v1beta1']

const strategies = ['None', 'Webhook']

/** What is wrong with how a definition converts its versions (supplement C-01, C-20). */
export function validateConversion(
  { spec }: Definition,
  old: Definition | undefined,
): readonly FieldError[] {
  const place = 'spec.conversion'
  const { strategy = 'None', webhook } = spec.conversion ?? {}
  if (!strategies.includes(strategy)) {
    return [unsupported(`${place}.strategy`, strategy, strategies)]
  }
  if (strategy === 'None') {
    const why = 'should not be set when strategy is not set to Webhook'
    return webhook ? [forbidden(`${place}.webhook`, why)] : []
  }
  const config = webhook?.clientConfig
  const at = `${place}.webhook.clientConfig`
  return [
    ...(config
      ? checkClientConfig(at, config)
      : [required(at, 'required when strategy is set to Webhook')]),
    ...validateReviewVersions(webhook, old?.spec.conversion?.webhook, `${place}.webhook`),
  ]
}

/** A definition that nobody could ask about before may stay so. */
function validateReviewVersions(
  webhook: ConversionWebhook | undefined,
  old: ConversionWebhook | undefined,
  place: string,
): readonly FieldError[] {
  const path = `${place}.conversionReviewVersions`
  const versions = webhook?.conversionReviewVersions ?? []
  if (versions.length === 0) return [required(path)]
  const again = flagDuplicates(versions)
  const each = versions.flatMap((version, index) =>
    again[index]
      ? [invalid(`${path}[${index}]`, version, 'duplicate version')]
      : invalidAll(`${path}[${index}]`, version, dns1035LabelProblems(version)),
  )
  const tolerated = old !== undefined && !isAskable(old)
  if (isAskable(webhook) || tolerated) return each
  const why = `must include at least one of ${reviewVersions.join(', ')}`
  return [...each, invalid(path, versions, why)]
}

function isAskable(webhook: ConversionWebhook | undefined): boolean {
  return (webhook?.conversionReviewVersions ?? []).some((one) => reviewVersions.includes(one))
}
