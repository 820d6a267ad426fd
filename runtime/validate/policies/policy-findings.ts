/** What admission says of an object, as findings. */
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import type { Related } from '../rules/finding.ts'
import { finding, type PartFinding } from '../rules/part-finding.ts'
import type { AdmissionAnswer } from './policy-registry.ts'

/** A policy of the run, and where it stands. */
export interface PlacedPolicy {
  readonly file: string
  readonly root: LocatedValue<TextRange>
}

/** The policies of a run, and what bindings do in truth. */
export interface PolicyFacts {
  readonly policy: (name: string) => PlacedPolicy | undefined
  readonly actions: (binding: string) => readonly string[]
}

/** The places of pod specs, which pod security is about. */
const podSpecs = [
  'spec.jobTemplate.spec.template.spec',
  'spec.template.spec',
  'template.spec',
  'spec',
]

const failed =
  /^Validation failed for ValidatingAdmissionPolicy '([^']*)' with binding '([^']*)': (.*)$/s
const denied =
  /ValidatingAdmissionPolicy '([^']*)'(?: with binding '([^']*)')? denied request: (.*)$/s
const level = /(?:violates|would violate) PodSecurity "/

/** The findings of an answer. */
export function admissionFindings(
  root: LocatedValue<TextRange>,
  { warnings, refusal }: AdmissionAnswer,
  facts: PolicyFacts,
): readonly PartFinding[] {
  const told = warnings.flatMap((text) => ofWarning(root, text, facts))
  return refusal === undefined ? told : [...told, ofRefusal(root, refusal.message, facts)]
}

function ofWarning(
  root: LocatedValue<TextRange>,
  text: string,
  facts: PolicyFacts,
): readonly PartFinding[] {
  if (level.test(text)) return [atPodSpec('pod-security.template', root, text)]
  const [, policy = '', binding = '', said = ''] = failed.exec(text) ?? []
  if (policy === '') return []
  const message = `policy ${policy}: ${said}`
  const actions = facts.actions(binding)
  const rule = actions.includes('Deny')
    ? 'policy.denied'
    : actions.includes('Warn')
      ? 'policy.warning'
      : 'policy.audit'
  return [{ ...finding(rule, message, root.at), ...relatedTo(policy, said, facts) }]
}

function ofRefusal(root: LocatedValue<TextRange>, text: string, facts: PolicyFacts): PartFinding {
  if (level.test(text)) return atPodSpec('pod-security.level', root, text.replace(/^.*?: /s, ''))
  const [, policy = '', , said = ''] = denied.exec(text) ?? []
  if (policy === '') return finding('object.refused', text, root.at)
  const message = `policy ${policy}: ${said}`
  return { ...finding('policy.denied', message, root.at), ...relatedTo(policy, said, facts) }
}

function atPodSpec(
  rule: 'pod-security.level' | 'pod-security.template',
  root: LocatedValue<TextRange>,
  text: string,
): PartFinding {
  const path = podSpecs.find((one) => followPath(root, one).complete)
  if (path === undefined) return finding(rule, text, root.at)
  const { node, entry } = followPath(root, path)
  return finding(rule, text, entry?.keyAt ?? node.at, path)
}

/** The validation of the policy that failed: by its message, or by its expression where it has none. */
function relatedTo(
  name: string,
  said: string,
  { policy }: PolicyFacts,
): { readonly related?: readonly Related[] } {
  const placed = policy(name)
  if (placed === undefined) return {}
  const { file, root } = placed
  const validations = followPath(root, 'spec.validations').node
  const found =
    validations.is === 'list' ? validations.items.find((one) => fails(one, said)) : undefined
  const at = found === undefined ? root.at : followPath(found, 'expression').node.at
  return { related: [{ message: 'the policy says so here', file, at }] }
}

function fails(validation: LocatedValue<TextRange>, said: string): boolean {
  const message = textOf(validation, 'message')
  return message === undefined
    ? said.includes(textOf(validation, 'expression') ?? '\0')
    : message.trim() === said
}

function textOf(node: LocatedValue<TextRange>, key: string): string | undefined {
  const found = followPath(node, key)
  return found.complete && found.node.is === 'scalar' ? String(found.node.value) : undefined
}
