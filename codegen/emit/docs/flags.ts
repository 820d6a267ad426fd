/** Emits one reference page for each daemon: its flags by section, hidden ones left out. */
import type { OptionFacts, OptionSet } from '../../schema/ir.ts'
import type { TextArtefact } from '../artefact.ts'
import type { Model } from '../model/model.ts'
import { constraintText } from './constraints.ts'
import { numberRules } from './fields.ts'
import { code, plain, table } from './markdown.ts'

/** The pages of all daemons. */
export function flagPagesOf(model: Model): readonly TextArtefact[] {
  return model.api.optionSets.map((set) => ({
    is: 'text',
    path: `docs/${set.daemon}.md`,
    from: [set.file],
    text: `${page(set).join('\n').trimEnd()}\n`,
  }))
}

/**
 * A heading for each section that has a flag to show: hidden flags are accepted, but not shown.
 */
function page({ daemon, description, sections, constraints }: OptionSet): readonly string[] {
  const shown = sections
    .map(({ name, options }) => ({ name, options: options.filter(({ hidden }) => !hidden) }))
    .filter(({ options }) => options.length > 0)
  return [
    `# ${daemon}`,
    '',
    plain(description),
    '',
    ...shown.flatMap(({ name, options }) => [
      `## ${name}`,
      '',
      ...table(
        ['Flag', 'Type', 'Meaning'],
        options.map((option) => row(option, constraints)),
      ),
    ]),
  ]
}

/**
 * Backquotes in a description mark the placeholder of the value in `--help`; here they go. A
 * constraint is told at the flag that it is about, not at the others that it mentions.
 */
function row(option: OptionFacts, constraints: OptionSet['constraints']): readonly string[] {
  const { flag, shorthand, type, description, deprecated, field } = option
  const names = [`--${flag}`, ...(shorthand === undefined ? [] : [`-${shorthand}`])]
  const rules = [
    plain(description.replaceAll('`', '')),
    ...(option.default === undefined ? [] : [`Default ${code(JSON.stringify(option.default))}.`]),
    ...(option.values === undefined ? [] : [`One of ${option.values.map(code).join(', ')}.`]),
    ...numberRules(option),
    ...constraints
      .filter((each) => each.field === flag)
      .map((each) => constraintText(each, (name) => `--${name}`)),
    ...(field === undefined ? [] : [`Field ${code(field)}.`]),
    ...(deprecated === undefined ? [] : [`**Deprecated:** ${plain(deprecated)}`]),
  ]
  return [names.map(code).join(' '), type, rules.join(' ')]
}
