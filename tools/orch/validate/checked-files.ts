/** What the files that one thread checks come to. */
import {
  type Finding,
  type ObjectFacts,
  rules,
  type Source,
  textOf,
  type Validator,
} from '../../../runtime/validate/validate.ts'
import { isLeftOut, type LeftOut } from './sources.ts'

/** What was found, and in how many objects. */
interface Found {
  readonly findings: readonly Finding[]
  readonly objects?: number
  readonly suppressed: number
}

/** Checks files; only lines that findings are about are kept. */
export class CheckedFiles {
  readonly findings: Finding[] = []
  readonly facts: ObjectFacts[] = []
  /** By `file:line`. */
  readonly lines = new Map<string, string>()
  objects = 0
  suppressed = 0

  /** Checks a file by itself. */
  async check(validator: Validator, source: Source | LeftOut): Promise<void> {
    if (isLeftOut(source)) {
      this.findings.push(leftOut(source))
      return
    }
    const { findings, objects, suppressed, facts } = await validator.check(source)
    this.add({ findings, objects, suppressed })
    this.facts.push(...facts)
    this.keepLines(source, findings)
  }

  /** Adds what was found elsewhere. */
  add({ findings, objects = 0, suppressed }: Found): void {
    for (const one of findings) this.findings.push(one)
    this.objects += objects
    this.suppressed += suppressed
  }

  /** Keeps the lines of a file that findings are about. */
  keepLines(source: Source, findings: readonly Finding[]): void {
    if (findings.length === 0) return
    const split = textOf(source).split('\n')
    for (const { file, at } of findings) {
      if (file !== source.name) continue
      const line = at && split[at.line - 1]
      if (at !== undefined && line !== undefined) this.lines.set(`${file}:${at.line}`, line)
    }
  }
}

/** What is said of a file that is not looked at. */
export function leftOut({ name, rule, message }: LeftOut): Finding {
  return { rule, severity: rules[rule].severity, message, file: name }
}
