/** The rules of the two webhook configurations. */

import type { LabelSelectorFields } from '../../kernel/meta/label-selector.ts'
import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { flagDuplicates } from '../../kernel/values/duplicates.ts'
import { checkClientConfig, type WebhookClientConfig } from '../../webhook/webhook.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { duplicate, invalid, invalidAll, required, unsupported } from '../types/field-errors.ts'
import { checkSelector } from '../types/label-selectors.ts'
import type { List } from '../types/shapes.ts'
import { type Conditions, checkConditions } from './match-conditions.ts'
import { checkMatchRule, type MatchRule } from './match-rules.ts'

interface Webhook {
  readonly name?: string
  readonly clientConfig?: WebhookClientConfig
  readonly rules?: List<MatchRule>
  readonly namespaceSelector?: LabelSelectorFields
  readonly objectSelector?: LabelSelectorFields
  readonly sideEffects?: string
  readonly admissionReviewVersions?: List<string>
  readonly matchConditions?: Conditions
}

interface Configuration extends ApiObject {
  readonly webhooks?: List<Webhook>
}

type FieldErrors = readonly FieldError[]

const known = ['v1', 'v1beta1']

/** What a webhook costs to look at, in units of `Steps`. */
function workOf({ rules }: Webhook): number {
  return 15 + 5 * (rules?.length ?? 0)
}

/** A webhook can be told from the others, reached and asked, and says what calling it does (A9.59, Q-09). */
export const webhooks: Strategy = {
  *validateInSteps(object, old, { platform }) {
    const list = (object as Configuration).webhooks ?? []
    const before = (old as Configuration | undefined)?.webhooks ?? []
    const again = flagDuplicates(list.map(({ name }) => name))
    const effects = before.some(({ sideEffects }) => !harmless.includes(sideEffects ?? ''))
    const strange = before.some((one) => !recognised(one))
    const found: FieldError[] = []
    for (const [index, webhook] of list.entries()) {
      const path = `webhooks[${index}]`
      yield workOf(webhook)
      found.push(
        ...checkName(`${path}.name`, webhook.name ?? ''),
        ...(again[index] ? [duplicate(`${path}.name`, webhook.name)] : []),
        ...checkVersions(path, webhook, strange),
        ...(webhook.rules ?? []).flatMap((rule, at) =>
          checkMatchRule(`${path}.rules[${at}]`, rule),
        ),
        ...checkEffects(path, webhook.sideEffects, effects),
        ...checkSelector(`${path}.namespaceSelector`, webhook.namespaceSelector ?? {}),
        ...checkSelector(`${path}.objectSelector`, webhook.objectSelector ?? {}),
        ...checkClientConfig(`${path}.clientConfig`, webhook.clientConfig ?? {}),
        ...checkConditions(`${path}.matchConditions`, webhook.matchConditions, platform.brand),
      )
    }
    return found
  },
}

function checkName(path: string, name: string): FieldErrors {
  if (name === '') return [required(path)]
  const wrong = dnsSubdomainProblems(name)
  if (wrong.length > 0) return invalidAll(path, name, wrong)
  const short = 'should be a domain with at least three segments separated by dots'
  return name.split('.').length < 3 ? [invalid(path, name, short)] : []
}

function recognised({ admissionReviewVersions }: Webhook): boolean {
  return (admissionReviewVersions ?? []).some((one) => known.includes(one))
}

function checkVersions(at: string, webhook: Webhook, tolerated: boolean): FieldErrors {
  const path = `${at}.admissionReviewVersions`
  const versions = webhook.admissionReviewVersions ?? []
  const listed = known.join(', ')
  if (versions.length === 0) return [required(path, `must specify one of ${listed}`)]
  const again = flagDuplicates(versions)
  const each = versions.flatMap((version, index) => [
    ...(again[index] ? [invalid(`${path}[${index}]`, version, 'duplicate version')] : []),
    ...invalidAll(`${path}[${index}]`, version, dns1035LabelProblems(version)),
  ])
  if (recognised(webhook) || tolerated) return each
  return [...each, invalid(path, versions, `must include at least one of ${listed}`)]
}

const harmless = ['None', 'NoneOnDryRun']

function checkEffects(at: string, effects: string | undefined, tolerated: boolean): FieldErrors {
  const path = `${at}.sideEffects`
  if (!effects) return [required(path, `must specify one of ${harmless.join(', ')}`)]
  const allowed = harmless.includes(effects) || tolerated
  return allowed ? [] : [unsupported(path, effects, harmless)]
}
