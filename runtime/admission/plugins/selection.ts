import { nearestName } from '../../kernel/values/spelling.ts'
import type { PluginSettings } from '../chain/plugin-settings.ts'
import { type PluginRegistration, plugins } from './plugins.ts'

/** A selection of plugins. */
export interface PluginSelection {
  /** Plugins to enable beside those that are enabled by default. */
  readonly enable?: readonly string[]
  /** Plugins to disable. */
  readonly disable?: readonly string[]
  /** Exactly these plugins; `enable` and `disable` are ignored. */
  readonly only?: readonly string[]
}

/** The problems of a selection: unknown names, names in both lists, and plugins that this server does not have. */
export function selectionProblems({
  enable = [],
  disable = [],
}: PluginSelection): readonly string[] {
  const inBoth = enable.filter((name) => disable.includes(name))
  return [
    ...enable.flatMap((name) => problemsOf('enable', name)),
    ...disable.flatMap((name) => problemsOf('disable', name)),
    ...inBoth.map(
      (name) => `${name} in enable-admission-plugins and disable-admission-plugins overlapped`,
    ),
  ]
}

function problemsOf(flag: 'enable' | 'disable', name: string): readonly string[] {
  const plugin = plugins.find((one) => one.name === name)
  const subject = `${flag}-admission-plugins plugin ${JSON.stringify(name)}`
  if (plugin === undefined) return [`${subject} is unknown${hintFor(name)}`]
  if (flag === 'disable' || plugin.create !== undefined) return []
  return [`${subject} is known by name only: this server does not do what it stands for`]
}

function hintFor(name: string): string {
  const names = plugins.map((one) => one.name)
  const near = nearestName(name, names)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** A plugin that takes a configuration from a file: the kind of that configuration. */
export interface ConfigurablePlugin {
  readonly kind: string
}

type FileSettings = Exclude<keyof PluginSettings, 'ServiceAccount' | 'StorageObjectInUseProtection'>

/** Those whose settings a file may hold; the others have their own from the server. */
const configurablePlugins: Readonly<Record<FileSettings, ConfigurablePlugin>> = {
  PodSecurity: { kind: 'PodSecurityConfiguration' },
}

/** The configuration that the named plugin takes; a string says why it takes none. */
export function configurablePlugin(name: string): ConfigurablePlugin | string {
  if (Object.hasOwn(configurablePlugins, name)) {
    return configurablePlugins[name as FileSettings]
  }
  const isKnown = plugins.some((one) => one.name === name)
  const quoted = JSON.stringify(name)
  if (isKnown) return `admission plugin ${quoted} takes no settings from a file in this server`
  return `admission plugin ${quoted} is unknown${hintFor(name)}`
}

/**
 * The selected plugins, in the order of the table. A name in `only` that the table does not have is
 * passed over, and so is the order in which names are given: the table decides.
 */
export function selectPlugins({
  enable = [],
  disable = [],
  only,
}: PluginSelection): readonly PluginRegistration[] {
  if (only !== undefined) return plugins.filter(({ name }) => only.includes(name))
  return plugins.filter(
    ({ name, enabledByDefault = false }) =>
      !disable.includes(name) && (enabledByDefault || enable.includes(name)),
  )
}
