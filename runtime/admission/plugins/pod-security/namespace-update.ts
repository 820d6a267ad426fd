import { runInSlices } from '../../../kernel/async/slices.ts'
import type { Attributes, Recorder } from '../../chain/attributes.ts'
import { invalid } from '../../chain/errors.ts'
import type { PluginContext } from '../../chain/plugin-context.ts'
import { isSameLevel, type LevelVersion, levelOrder, printLevel } from './levels.ts'
import { type Mode, modes, type NamespacePolicy, namespacePolicyOf } from './namespace-policy.ts'
import type { PodSecurityOptions } from './options.ts'
import { violatingPods } from './violating-pods.ts'

/**
 * Validates the labels of a namespace, and warns if a raised level is violated by existing pods or
 * ignored for an exempt namespace.
 *
 * Labels that were invalid before may stay, or nothing else of the namespace could be changed.
 * Existing pods are never refused: a raised level only warns of them.
 *
 * @throws StatusError (Invalid) for labels that are invalid, unless the same ones were so before
 */
export async function validateNamespace(
  context: PluginContext,
  options: PodSecurityOptions,
  attributes: Attributes,
  recorder: Recorder,
): Promise<void> {
  const { object, oldObject } = attributes
  if (object === undefined) return
  const { prefix, defaults } = options
  const { policy, errors } = namespacePolicyOf(prefix, object.metadata.labels, defaults)
  const old = oldObject && namespacePolicyOf(prefix, oldObject.metadata.labels, defaults)
  const isUnchanged = JSON.stringify(errors) === JSON.stringify(old?.errors)
  if (errors.length > 0 && !isUnchanged) throw invalid(attributes, errors)
  if (old !== undefined && !isRaised(policy.enforce, old.policy.enforce)) return
  const { name = '' } = object.metadata
  if (options.namespaces.has(name)) {
    const ignored = ignoredLevels(options, policy, object.metadata.labels)
    if (ignored === undefined) return
    recorder.warn(
      `namespace "${name}" is exempt from Pod Security, and the policy (${ignored}) will be ignored`,
    )
  } else if (old !== undefined) {
    const warnings = await runInSlices(violatingPods(context, options, name, policy.enforce))
    for (const warning of warnings) recorder.warn(warning)
  }
}

/** True if pods may violate the level that did not violate the old one: another version may forbid more as well. */
function isRaised(level: LevelVersion, old: LevelVersion): boolean {
  if (level.level === 'privileged' || printLevel(level) === printLevel(old)) return false
  return level.version !== old.version || levelOrder(level) > levelOrder(old)
}

/** The levels in the labels of an exempt namespace; undefined if they make no difference to the defaults. */
function ignoredLevels(
  { prefix, defaults }: PodSecurityOptions,
  policy: NamespacePolicy,
  labels: Readonly<Record<string, string>> = {},
): string | undefined {
  if (modes.every((mode) => policy[mode].level === 'privileged')) return undefined
  if (modes.every((mode) => isSameLevel(policy[mode], defaults[mode]))) return undefined
  const hasLabel = (mode: Mode) =>
    Object.hasOwn(labels, `${prefix}${mode}`) || Object.hasOwn(labels, `${prefix}${mode}-version`)
  const ignored = modes.filter((mode) => policy[mode].level !== 'privileged' && hasLabel(mode))
  return ignored.map((mode) => `${mode}=${printLevel(policy[mode])}`).join(', ')
}
