import { type Authority, type Budget, limits } from '../cel/cel.ts'
import type { Steps } from '../kernel/turns.ts'
import type { CompiledPolicy, CompiledValidation } from './compile-policy.ts'
import { conditionsHold } from './conditions.ts'
import { type Inputs, Run, spentText } from './run.ts'

/** What a policy holds against a request. `index`: the validation that says so. */
export interface Denial {
  readonly index: number
  readonly text: string
  /** The word for it that the validation gives; absent for one that could not be evaluated. */
  readonly reason?: string
  /** Refuses whatever is to be done about what validations say. */
  readonly regardless?: true
}

/** What is to be noted in the audit log. */
export interface Note {
  readonly key: string
  readonly value: string
}

/** What a policy says of one request, with one set of parameters. */
export interface Verdict {
  readonly denials: readonly Denial[]
  readonly notes: readonly Note[]
}

const nothing: Verdict = { denials: [], notes: [] }

/**
 * What a policy says of a request, with one set of parameters. What cannot be evaluated counts as refused, or with
 * `ignoreFailure` as if it was not there (supplement ). It stops between expressions when those before it took
 * long.
 */
export function* judge(
  policy: CompiledPolicy,
  inputs: Inputs,
  authority: Authority | undefined,
  ignoreFailure: boolean,
): Steps<Verdict> {
  const run = new Run(inputs, policy.variables, authority)
  const failed = (text: string): Verdict =>
    ignoreFailure ? nothing : { denials: [{ index: 0, text }], notes: [] }
  const held = conditionsHold(policy.conditions, run)
  if (held.is === 'false') return nothing
  if (held.is === 'failed') return failed(held.text)
  const validated = yield* validate(policy, run)
  if (validated === 'spent') return failed(spentText)
  const annotated = yield* annotate(policy, run)
  if (annotated === 'spent') return failed(spentText)
  const all = [...validated, ...annotated.denials]
  const denials = ignoreFailure ? all.filter(({ reason }) => reason !== undefined) : all
  return { denials, notes: annotated.notes }
}

function* validate({ validations }: CompiledPolicy, run: Run): Steps<readonly Denial[] | 'spent'> {
  const budget = { remaining: limits.object }
  const denials: Denial[] = []
  for (const [index, validation] of validations.entries()) {
    yield run.work()
    const outcome = run.evaluate(validation.compiled, budget)
    if (outcome.is === 'spent') return 'spent'
    if (outcome.is === 'error') denials.push({ index, text: outcome.text })
    else if (outcome.value !== true) denials.push({ index, ...refused(validation, run, budget) })
  }
  return denials
}

function refused(validation: CompiledValidation, run: Run, budget: Budget): Omit<Denial, 'index'> {
  const { reason = 'Invalid', message = '', expression, text } = validation
  const outcome = text && run.evaluate(text, budget)
  if (outcome?.is === 'spent') return { text: `failed messageExpression: ${spentText}` }
  const made = outcome?.is === 'value' ? shownText(outcome.value) : ''
  return { reason, text: made || message.trim() || `failed expression: ${expression.trim()}` }
}

/** Longest message that an expression may make, in bytes. */
const longestMessage = 5 * 1024

/** A made message on one line; nothing where it is none that could be shown. */
function shownText(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  return text.includes('\n') || Buffer.byteLength(text) > longestMessage ? '' : text
}

/** Longest note, in characters. */
const longestNote = 10 * 1024

function* annotate({ annotations }: CompiledPolicy, run: Run): Steps<Verdict | 'spent'> {
  const budget = { remaining: limits.object }
  const denials: Denial[] = []
  const notes: Note[] = []
  for (const { key, compiled } of annotations) {
    yield run.work()
    const outcome = run.evaluate(compiled, budget)
    if (outcome.is === 'spent') return 'spent'
    if (outcome.is === 'error') denials.push({ index: 0, text: outcome.text, regardless: true })
    else if (typeof outcome.value === 'string' && outcome.value.trim() !== '') {
      notes.push({ key, value: outcome.value.trim().slice(0, longestNote) })
    }
  }
  return { denials, notes }
}
