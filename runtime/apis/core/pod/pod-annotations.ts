/** The annotations by which pods chose security profiles before there were fields: what they say has to make sense. */
import type { PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import { belowProblems } from '../../../kernel/meta/file-paths.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'

type Annotations = Readonly<Record<string, string>>

/** What is wrong with one annotation; `at` is where the error stands, behind the path of the annotations. */
interface Found {
  readonly at: string
  readonly value: string
  readonly why: string
}

/** The beginnings of keys, before the domain of the platform; what is behind the slash names a container. */
const appArmor = 'container.apparmor.security.beta.'
const containerSeccomp = 'container.seccomp.security.alpha.'
const podSeccomp = 'seccomp.security.alpha.'
const controller = 'controller.'

/** Everything that is wrong with the annotations of pods with this specification. */
export function podAnnotationProblems(
  annotations: Annotations | undefined,
  spec: Loose<PodSpec> | undefined,
): readonly Found[] {
  const found: Found[] = []
  for (const [key, value] of Object.entries(annotations ?? {})) {
    const name = key.slice(key.indexOf('/') + 1)
    const refuse = (why: string, shown = value) => found.push({ at: `[${key}]`, value: shown, why })
    if (key.startsWith(appArmor)) {
      if (!containerNames(spec).has(name)) refuse('container not found', name)
      if (!isAppArmorProfile(value)) {
        refuse(`invalid AppArmor profile name: ${quoted(value)}`)
      }
    } else if (key.startsWith(containerSeccomp) || (key.startsWith(podSeccomp) && name === 'pod')) {
      found.push(...seccompProblems(key, value))
    } else if (key.startsWith(controller) && name === 'pod-deletion-cost' && !isCost(value)) {
      refuse('must be a 32bit integer')
    }
  }
  return found
}

function containerNames(spec: Loose<PodSpec> | undefined): ReadonlySet<string | undefined> {
  const { containers, initContainers, ephemeralContainers } = spec ?? {}
  const all = [containers, initContainers, ephemeralContainers].flatMap((list) => list ?? [])
  return new Set(all.map(({ name }) => name))
}

function isAppArmorProfile(text: string): boolean {
  return ['', 'runtime/default', 'unconfined'].includes(text) || text.startsWith('localhost/')
}

/** A profile of the node is named by a path, which alone is told. */
function seccompProblems(key: string, text: string): readonly Found[] {
  const at = `.${key}`
  if (['runtime/default', 'docker/default', 'unconfined'].includes(text)) return []
  if (!text.startsWith('localhost/')) {
    return [{ at, value: text, why: 'must be a valid seccomp profile' }]
  }
  const value = text.slice('localhost/'.length)
  return belowProblems(value).map((why) => ({ at, value, why }))
}

/** A whole number of 32 bits, without a plus or zeros in front. */
function isCost(text: string): boolean {
  return /^(?:0|-?[1-9][0-9]{0,9})$/.test(text) && (Number(text) | 0) === Number(text)
}
