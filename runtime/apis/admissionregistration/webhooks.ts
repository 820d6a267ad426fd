import type {
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../../generated/apis/admissionregistration/v1/validating-webhook.ts'
import { expressionsIn } from '../../cel/cel.ts'
import { dns1035LabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import { checkClientConfig } from '../../webhook/webhook.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { labelSelector } from '../types/label-selectors.ts'
import { checkConditions } from './match-conditions.ts'

type Webhook = Loose<ValidatingWebhook>

const reviewVersions = ['v1', 'v1beta1']
const harmless = ['None', 'NoneOnDryRun']

/** What a webhook costs to check, in units of `Steps`. */
function workOf({ rules }: Webhook): number {
  return 15 + 5 * (rules?.length ?? 0)
}

/** A webhook has a name of its own, can be reached and asked, and says what calling it does (A9.59, Q-09). */
export const webhooks: Strategy<ValidatingWebhookConfiguration> = {
  *checkInSteps(object, { platform }) {
    const before = object.old?.webhooks ?? []
    const names = new Set<string>()
    const stored = expressionsIn(before)
    const tolerated = {
      effects: before.some(({ sideEffects }) => !harmless.includes(sideEffects ?? '')),
      versions: before.some((one) => !isRecognised(one)),
    }
    for (const webhook of object.items('webhooks')) {
      yield workOf(webhook.value)
      checkName(webhook)
      webhook.distinct('name', names)
      checkVersions(webhook, tolerated.versions)
      webhook.visit('rules')
      checkEffects(webhook, tolerated.effects)
      labelSelector(webhook.child('namespaceSelector'))
      labelSelector(webhook.child('objectSelector'))
      const { clientConfig = {} } = webhook.value
      webhook.report(...checkClientConfig(webhook.path('clientConfig'), clientConfig))
      checkConditions(webhook, platform.brand, stored)
    }
  },
}

function checkName(webhook: Field<ValidatingWebhook>) {
  const { name = '' } = webhook.value
  if (name === '') return webhook.required('name')
  const wrong = dnsSubdomainProblems(name)
  webhook.invalidAll('name', wrong)
  if (wrong.length > 0 || name.split('.').length >= 3) return
  const short = 'should be a domain with at least three segments separated by dots'
  webhook.invalid('name', short)
}

function isRecognised({ admissionReviewVersions }: Webhook): boolean {
  return admissionReviewVersions?.some((one) => reviewVersions.includes(one)) === true
}

function checkVersions(webhook: Field<ValidatingWebhook>, tolerated: boolean) {
  const listed = reviewVersions.join(', ')
  if (!webhook.value.admissionReviewVersions?.length) {
    return webhook.required('admissionReviewVersions', `must specify one of ${listed}`)
  }
  const seen = new Set<string>()
  webhook.each('admissionReviewVersions', (version) => {
    if (seen.has(version.value)) version.invalid('', 'duplicate version')
    else version.invalidAll('', dns1035LabelProblems(version.value))
    seen.add(version.value)
  })
  if (isRecognised(webhook.value) || tolerated) return
  webhook.invalid('admissionReviewVersions', `must include at least one of ${listed}`)
}

function checkEffects(webhook: Field<ValidatingWebhook>, tolerated: boolean): void {
  const { sideEffects } = webhook.value
  if (sideEffects === undefined)
    webhook.required('sideEffects', `must specify one of ${harmless.join(', ')}`)
  else if (!harmless.includes(sideEffects) && !tolerated) {
    webhook.passOver('sideEffects')
    webhook.unsupported('sideEffects', harmless)
  }
}
