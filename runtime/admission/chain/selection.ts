import { nearestName } from '../../kernel/values/spelling.ts'
import { type PluginRegistration, plugins } from '../plugins/plugins.ts'
import type { PluginSettings } from '../plugins/settings.ts'

/** Which plugins are to be on beside and without those that are on by default. */
export interface PluginSelection {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  /** These and no others, whatever is on by default. */
  readonly only?: readonly string[]
}

/** Everything wrong with a selection: unknown names, names on both sides, plugins that this server does not have. */
export function selectionProblems({
  enable = [],
  disable = [],
}: PluginSelection): readonly string[] {
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
  if (facts === undefined) return [`${where} is unknown${hintFor(name)}`]
  if (flag === 'enable' && facts.create === undefined) {
    return [`${where} is known by name only: this server does not do what it stands for`]
  }
  return []
}

function hintFor(name: string): string {
  const near = nearestName(
    name,
    plugins.map((one) => one.name),
  )
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** How a plugin is told something: the kind of its settings, whose schema says what they may be. */
export interface ConfigurablePlugin {
  readonly kind: string
}

const configurablePlugins: Readonly<Record<keyof PluginSettings, ConfigurablePlugin>> = {
  PodSecurity: { kind: 'PodSecurityConfiguration' },
}

/** How the named plugin is told something, or why it cannot be. */
export function configurablePlugin(name: string): ConfigurablePlugin | string {
  if (Object.hasOwn(configurablePlugins, name))
    return configurablePlugins[name as keyof PluginSettings]
  const known = plugins.some((one) => one.name === name)
  const quoted = JSON.stringify(name)
  if (known) return `admission plugin ${quoted} takes no settings from a file in this server`
  return `admission plugin ${quoted} is unknown${hintFor(name)}`
}

/** The plugins of a selection, in their order. */
export function selectPlugins({
  enable = [],
  disable = [],
  only,
}: PluginSelection): readonly PluginRegistration[] {
  if (only !== undefined) return plugins.filter(({ name }) => only.includes(name))
  return plugins.filter(
    ({ name, enabledByDefault: byDefault }) =>
      !disable.includes(name) && (byDefault === true || enable.includes(name)),
  )
}
