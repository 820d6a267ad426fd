/** Whether rules give all that other rules give, and what of it they do not (supplement Z-09). */
import type { PolicyRule } from '../../../../generated/apis/rbac/v1.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import { pathCovers } from './rule-match.ts'

const none: readonly string[] = []

/**
 * Rules that break down into more parts than this are not looked at part by part: unless one held rule covers such a rule as a
 * whole, all of it counts as missing.
 */
const maxParts = 10_000

/**
 * The part of `wanted` that none of the rules in `held` covers, each a rule of one verb, group, resource and name, or of one
 * verb and path; empty if everything is covered.
 */
export function missingRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  const missing: PolicyRule[] = []
  let parts = 0
  for (const rule of wanted) {
    if (held.some((one) => coversRule(one, rule))) continue
    parts += partCount(rule)
    if (parts > maxParts) missing.push(rule)
    else for (const part of uncoveredParts(held, rule)) missing.push(part)
  }
  return missing
}

/** A rule as a refusal names it: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function ruleText(rule: PolicyRule): string {
  const { apiGroups = none, resources = none, nonResourceURLs = none, resourceNames = none } = rule
  const parts = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', rule.verbs ?? none],
  ] as const
  const shown = parts.filter(([, texts]) => texts.length > 0)
  return `{${shown.map(([name, texts]) => `${name}:${quotedList(texts)}`).join(', ')}}`
}

/** Texts as Go prints a list of quoted ones: `["a" "b"]`. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map((text) => quoted(text)).join(' ')}]`
}

/** The same rules with the verbs of one resource together. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const simple = new Map<string, PolicyRule>()
  const others: PolicyRule[] = []
  for (const rule of rules) {
    const { apiGroups = none, resources = none, resourceNames = none, nonResourceURLs } = rule
    const isSimple = apiGroups.length === 1 && resources.length === 1 && resourceNames.length < 2
    if (!isSimple || nonResourceURLs?.length) {
      others.push(rule)
      continue
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames])
    const known = simple.get(key)
    simple.set(key, known === undefined ? rule : joined(known, rule))
  }
  return [...others, ...simple.values()]
}

function joined(known: PolicyRule, { verbs }: PolicyRule): PolicyRule {
  return { ...known, verbs: [...known.verbs, ...verbs] }
}

function partCount(rule: PolicyRule): number {
  const { verbs = none, apiGroups = none, resources = none, resourceNames = none } = rule
  const named = Math.max(1, resourceNames.length)
  const paths = rule.nonResourceURLs ?? none
  return verbs.length * (apiGroups.length * resources.length * named + paths.length)
}

/** The smallest rules that one stands for and no held rule covers, in the order of its groups, resources, verbs and names. */
function* uncoveredParts(held: readonly PolicyRule[], rule: PolicyRule): Generator<PolicyRule> {
  const { verbs = none, apiGroups = none, resources = none, resourceNames = none } = rule
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] }
        const parts =
          resourceNames.length === 0
            ? [part]
            : resourceNames.map((name) => ({ ...part, resourceNames: [name] }))
        yield* parts.filter((one) => !held.some((owned) => coversRule(owned, one)))
      }
    }
  }
  for (const path of rule.nonResourceURLs ?? none) {
    for (const verb of verbs) {
      const part = { verbs: [verb], nonResourceURLs: [path] }
      if (!held.some((owned) => coversRule(owned, part))) yield part
    }
  }
}

/** True if one rule gives all that another one gives. */
function coversRule(owner: PolicyRule, rule: PolicyRule): boolean {
  return (
    coversTexts(owner.verbs, rule.verbs) &&
    coversTexts(owner.apiGroups, rule.apiGroups) &&
    coversResources(owner.resources, rule.resources) &&
    coversNames(owner.resourceNames, rule.resourceNames) &&
    (rule.nonResourceURLs ?? none).every((path) =>
      (owner.nonResourceURLs ?? none).some((granted) => pathCovers(granted, path)),
    )
  )
}

function coversTexts(owned: readonly string[] = none, wanted: readonly string[] = none): boolean {
  if (owned.includes('*')) return true
  const has = setOf(owned)
  return wanted.every((one) => has(one))
}

function coversNames(owned: readonly string[] = none, wanted: readonly string[] = none): boolean {
  if (owned.length === 0) return true
  const has = setOf(owned)
  return wanted.length > 0 && wanted.every((one) => has(one))
}

function coversResources(
  owned: readonly string[] = none,
  wanted: readonly string[] = none,
): boolean {
  if (owned.includes('*')) return true
  const has = setOf(owned)
  return wanted.every((one) => {
    const slash = one.indexOf('/')
    return has(one) || (slash >= 0 && has(`*${one.slice(slash)}`))
  })
}

/** Whether a text is in a list: by a set, where the list is long. */
function setOf(texts: readonly string[]): (text: string) => boolean {
  if (texts.length < 16) return (text) => texts.includes(text)
  const set = new Set(texts)
  return (text) => set.has(text)
}
