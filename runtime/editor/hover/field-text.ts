import type { Json } from '../../kernel/values/json.ts'
import type { SchemaPlace, ValueSchema } from '../schema/value-schema.ts'

/** What a schema says of a field, in Markdown. */
export function fieldText(schema: ValueSchema): string {
  const { description, values, isOpen, constraints, rules, gate, since, place, typePlace } = schema
  const initial = schema.default
  const named = values.map((one) => code(one)).join(', ')
  const facts = [
    ...(initial === undefined ? [] : [`default: ${code(shown(initial))}`]),
    ...(values.length === 0 ? [] : [`${isOpen ? 'known values' : 'one of'}: ${named}`]),
    ...constraints.map((one) => code(one)),
    ...rules.map(
      ({ rule, message }) => `rule: ${code(rule)}${message ? ` (${escapeMarkdown(message)})` : ''}`,
    ),
    ...(gate === undefined ? [] : [`feature gate: ${code(gate)}`]),
    ...(since === undefined ? [] : [`since: ${code(since)}`]),
  ]
  const sources = [
    ...(place ? [`schema: ${placeText(place)}`] : []),
    ...(typePlace ? [`type: ${placeText(typePlace)}`] : []),
  ]
  return [
    ...(description === undefined ? [] : [escapeMarkdown(description)]),
    ...(facts.length === 0 ? [] : [facts.map((one) => `- ${one}`).join('\n')]),
    ...(sources.length === 0 ? [] : [sources.join(', ')]),
  ].join('\n\n')
}

function placeText({ file, line }: SchemaPlace): string {
  return code(`${file}:${line}`)
}

/** A text as code, whatever it has in it. */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  const line = text.replace(/\s+/g, ' ')
  return fence === '`' ? `\`${line}\`` : `\`\` ${line} \`\``
}

/** A text of which no character has a meaning: descriptions come from definitions, too. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\<>*_`[\]#|]/g, '\\$&')
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
