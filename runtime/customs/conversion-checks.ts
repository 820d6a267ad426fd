import { forbidden, invalid, problems, required, unsupported } from '../kernel/causes.ts'
import { dns1035LabelProblems } from '../kernel/names.ts'
import type { Finding } from '../kernel/read.ts'
import { checkClientConfig } from '../webhook/webhook.ts'
import type { Definition, Webhook } from './definition.ts'

/** Forms of the question that this server can ask, the preferred one first. */
export const reviewVersions: readonly string[] = ['v1', 'v1beta1']

const strategies = ['None', 'Webhook']

/** What is wrong with how a definition converts its versions (supplement C-01, C-20). */
export function conversionFindings(
  { spec }: Definition,
  old: Definition | undefined,
): readonly Finding[] {
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
    ...versionFindings(webhook, old?.spec.conversion?.webhook, `${place}.webhook`),
  ]
}

/** A definition that nobody could ask about before may stay so. */
function versionFindings(
  webhook: Webhook | undefined,
  old: Webhook | undefined,
  place: string,
): readonly Finding[] {
  const path = `${place}.conversionReviewVersions`
  const versions = webhook?.conversionReviewVersions ?? []
  if (versions.length === 0) return [required(path)]
  const seen = new Set<string>()
  const each = versions.flatMap((version, index) => {
    const at = `${path}[${index}]`
    if (seen.has(version)) return [invalid(at, version, 'duplicate version')]
    seen.add(version)
    return problems(at, version, dns1035LabelProblems(version))
  })
  const tolerated = old !== undefined && !isAskable(old)
  if (isAskable(webhook) || tolerated) return each
  const why = `must include at least one of ${reviewVersions.join(', ')}`
  return [...each, invalid(path, versions, why)]
}

function isAskable(webhook: Webhook | undefined): boolean {
  return (webhook?.conversionReviewVersions ?? []).some((one) => reviewVersions.includes(one))
}
