/** The operators of label selectors as requirements have them. */
export type LabelOperator = 'in' | 'notin' | '=' | '!=' | 'exists' | '!' | 'gt' | 'lt'

/** One requirement of a label selector. `values` has one element for comparisons, none for existence. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

type Labels = Readonly<Record<string, string>>

/** A label selector as objects hold it. */
export interface LabelSelectorFields {
  readonly matchLabels?: Labels
  readonly matchExpressions?:
    | readonly {
        readonly key?: string
        readonly operator?: string
        readonly values?: readonly string[] | null
      }[]
    | null
}

const operators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

/** The requirements of a selector object; an unknown operator gives undefined. */
export function labelRequirementsOf(
  selector: LabelSelectorFields,
): readonly LabelRequirement[] | undefined {
  const requirements: LabelRequirement[] = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]) => ({ key, operator: '=', values: [value] }),
  )
  for (const { key = '', operator = '', values } of selector.matchExpressions ?? []) {
    const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined
    if (known === undefined) return undefined
    requirements.push({ key, operator: known, values: [...(values ?? [])].sort() })
  }
  return requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}

/** The selector as text; parsing it gives the same requirements. */
export function printLabelSelector(requirements: readonly LabelRequirement[]): string {
  return requirements.map(printRequirement).join(',')
}

function printRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`
    case 'gt':
    case 'lt':
      return `${key}${operator === 'gt' ? '>' : '<'}${values[0]}`
    default:
      return `${key}${operator}${values[0]}`
  }
}

/** True if every requirement holds. `!=` and `notin` hold for labels without the key. */
export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Labels | undefined,
): boolean {
  return requirements.every((requirement) => {
    const has = labels !== undefined && Object.hasOwn(labels, requirement.key)
    return matchesOne(requirement, has ? labels[requirement.key] : undefined)
  })
}

function matchesOne({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case '=':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'gt':
      return value !== undefined && isInteger(value) && Number(value) > Number(values[0])
    case 'lt':
      return value !== undefined && isInteger(value) && Number(value) < Number(values[0])
  }
}

function isInteger(text: string): boolean {
  return /^[+-]?\d{1,19}$/.test(text)
}
