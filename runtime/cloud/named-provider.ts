import { didYouMean } from '../kernel/values/spelling.ts'
import { memoryCloud } from './memory-cloud.ts'
import type { CloudProvider } from './provider.ts'

/** The provider that a name means, or what is wrong with the name. */
export interface NamedProvider {
  /** Undefined where there is none, or a program of its own stands for it. */
  readonly provider: CloudProvider | undefined
  readonly problems: readonly string[]
}

const external = 'external'

/** The providers that run in the controller manager itself. */
const builtIn: Readonly<Record<string, () => CloudProvider>> = { memory: () => memoryCloud() }

/** What `--cloud-provider` means: nothing for an empty name, and for `external`, whose controllers are a program of their own. */
export function providerOf(name: string): NamedProvider {
  if (name === '' || name === external) return { provider: undefined, problems: [] }
  if (Object.hasOwn(builtIn, name)) return { provider: builtIn[name]?.(), problems: [] }
  const names = [...Object.keys(builtIn), external]
  const remedy = `say ${names.join(' or ')}${didYouMean(name, names)}`
  const problem = `--cloud-provider ${name}: there is no such provider here: ${remedy}`
  return { provider: undefined, problems: [problem] }
}
