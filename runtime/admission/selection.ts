import { nearest } from '../kernel/nearest.ts'
import { type PluginFacts, plugins } from './plugins.ts'

/** Which plugins are to be on beside and without those that are on by default. */
export interface Selection {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  /** These and no others, whatever is on by default. */
  readonly only?: readonly string[]
}

/** Everything wrong with a selection: unknown names, names on both sides, plugins that this server does not have. */
export function selectionProblems({ enable = [], disable = [] }: Selection): readonly string[] {
  return [
    ...enable.flatMap((name) => problemOf('enable', name)),
    ...disable.flatMap((name) => problemOf('disable', name)),
    ...enable
      .filter((name) => disable.includes(name))
      .map(
        (name) => `${name} in enable-admission-plugins and disable-admission-plugins overlapped`,
      ),
  ]
}

function problemOf(flag: 'enable' | 'disable', name: string): readonly string[] {
  const facts = plugins.find((one) => one.name === name)
  const where = `${flag}-admission-plugins plugin ${JSON.stringify(name)}`
  if (facts === undefined) {
    const near = nearest(
      name,
      plugins.map((one) => one.name),
    )
    return [`${where} is unknown${near === undefined ? '' : `; did you mean ${near}?`}`]
  }
  if (flag === 'enable' && facts.make === undefined) {
    return [`${where} is known by name only: this server does not do what it stands for`]
  }
  return []
}

/** The plugins of a selection, in their order. */
export function selected({ enable = [], disable = [], only }: Selection): readonly PluginFacts[] {
  if (only !== undefined) return plugins.filter(({ name }) => only.includes(name))
  return plugins.filter(
    ({ name, byDefault }) =>
      !disable.includes(name) && (byDefault === true || enable.includes(name)),
  )
}
