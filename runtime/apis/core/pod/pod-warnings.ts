/** Warnings about what is accepted in a pod but deprecated, without effect or hardly ever meant (supplement F-10). */
import type { Container } from '../../../../generated/apis/core/v1/container.ts'
import type { PodSpec, PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Volume } from '../../../../generated/apis/core/v1/volume.ts'
import { dnsLabelProblems } from '../../../kernel/meta/names.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import { firstOf, type Texts, warnedField } from '../../strategy/warned-field.ts'
import { deprecatedSources, deprecatedVolume } from '../../types/deprecations.ts'
import { fractionalAmounts } from '../../types/fractions.ts'
import { claimWarnings } from '../volume/volume-warnings.ts'
import { containerWarnings, portWarnings } from './container-warnings.ts'
import { nodeWarnings, podAffinityWarnings } from './scheduling-warnings.ts'

type Template = Loose<Pick<PodTemplateSpec, 'metadata' | 'spec'>>

/** The first hundred warnings about a pod, or about the template at a path; `domain` is the platform's. */
export function podWarnings(path: string, template: Template, domain: string): readonly string[] {
  const at = (part: string) => (path === '' ? part : `${path}.${part}`)
  const spec = warnedField<PodSpec>(template.spec, at('spec'))
  const annotations = template.metadata?.annotations ?? {}
  const annotated = function* (key: string, why: string): Texts {
    if (Object.hasOwn(annotations, key)) yield `${at('metadata.annotations')}[${key}]: ${why}`
  }
  return firstOf(allTexts(spec, annotated, domain))
}

/** The warnings of a template, or none if a change leaves alone the spec that it is part of. */
export function templateWarnings(
  path: string,
  template: Template | undefined,
  domain: string,
  spec: unknown,
  old: unknown,
): readonly string[] {
  const warnings = podWarnings(path, template ?? {}, domain)
  return warnings.length === 0 || deepEqual(spec, old) ? [] : warnings
}

/** The warning about the name of a new object that becomes a part of names of hosts. */
export function hostnameWarnings(name = '', what = 'Pod names and hostnames'): readonly string[] {
  const problems = dnsLabelProblems(name)
  if (problems.length === 0) return []
  const why = `this is used in ${what}, which can result in surprising behavior; a DNS label is recommended`
  return [`metadata.name: ${why}: [${problems.join(' ')}]`]
}

/** The warning about an annotation, if the pod has it. */
type Annotated = (key: string, why: string) => Texts

const useProfile = 'non-functional in v1.27+; use the "seccompProfile" field instead'
const useSysctls = 'non-functional in v1.11+; use the "sysctls" field instead'
const usePriority = 'non-functional in v1.16+; use the "priorityClassName" field instead'

function* allTexts(spec: Field<PodSpec>, annotated: Annotated, domain: string): Texts {
  yield* nodeWarnings(spec, domain)
  yield* annotated(`scheduler.alpha.${domain}/critical-pod`, usePriority)
  yield* annotated(`security.alpha.${domain}/sysctls`, useSysctls)
  yield* annotated(`security.alpha.${domain}/unsafe-sysctls`, useSysctls)
  for (const volume of spec.items('volumes')) yield* volumeTexts(volume)
  yield* repeats(spec.items('hostAliases'), 'ip')
  yield* repeats(spec.items('imagePullSecrets'), 'name')
  for (const secret of spec.items('imagePullSecrets')) {
    if (!secret.value.name) yield `${secret.path('name')}: invalid empty name ""`
  }
  yield* fractionalAmounts(spec, 'overhead', 'memory')
  yield* fractionalAmounts(spec, 'overhead', 'ephemeral-storage')
  const seccomp = `seccomp.security.alpha.${domain}/pod`
  if (spec.value.securityContext?.seccompProfile === undefined)
    yield* annotated(seccomp, useProfile)
  const containers = [
    ...spec.items('initContainers'),
    ...spec.items('containers'),
    ...spec.items('ephemeralContainers'),
  ] as readonly Field<Container>[]
  for (const container of containers) {
    yield* containerWarnings(container, (name) =>
      annotated(`container.seccomp.security.alpha.${domain}/${name}`, useProfile),
    )
  }
  yield* portWarnings(containers)
  if ((spec.value.terminationGracePeriodSeconds ?? 0) < 0) {
    const why = 'must be >= 0; negative values are invalid and will be treated as 1'
    yield `${spec.path('terminationGracePeriodSeconds')}: ${why}`
  }
  yield* podAffinityWarnings(spec)
}

const { cephfs, rbd, ...before } = deprecatedSources
const sources = Object.keys(before) as readonly (keyof typeof before)[]

function* volumeTexts(volume: Field<Volume>): Texts {
  yield* deprecatedVolume(volume, sources)
  const template = volume.child('ephemeral').child('volumeClaimTemplate')
  yield* claimWarnings(template.child('spec'))
  yield* deprecatedVolume(volume, ['cephfs', 'rbd'])
}

function* repeats<K extends string>(
  items: Iterable<Field<{ readonly [name in K]?: string }>>,
  key: K,
): Texts {
  const seen = new Set<string>()
  for (const item of items) {
    const value = (item.value as Readonly<Record<string, string>>)[key] ?? ''
    if (seen.has(value)) yield `${item.path(key)}: duplicate ${key} ${quoted(value)}`
    seen.add(value)
  }
}
