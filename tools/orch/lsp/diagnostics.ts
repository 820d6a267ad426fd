/** Findings as the protocol has them. */
import { resolve } from 'node:path'
import {
  type Diagnostic,
  type DiagnosticRelatedInformation,
  DiagnosticSeverity,
  DiagnosticTag,
} from 'vscode-languageserver'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import type { Finding } from '../../../runtime/validate/validate.ts'
import { lineRange, uriOf } from './places.ts'

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  note: DiagnosticSeverity.Information,
} as const

/** The diagnostic of a finding. With the text, one over several lines ends where it ends. */
export function diagnosticOf(finding: Finding, text: TextDocument | undefined): Diagnostic {
  const { rule, severity, message, at } = finding
  const tags = tagsOf(finding)
  const related = relatedOf(finding)
  return {
    range: at === undefined ? startOfFile : rangeIn(at, text),
    severity: severities[severity],
    code: rule,
    source: 'orch',
    message,
    ...(tags.length > 0 && { tags }),
    ...(related.length > 0 && { relatedInformation: related }),
  }
}

const startOfFile = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }

/** Of what goes over several lines, such as a whole object, the first is marked. */
function rangeIn(at: NonNullable<Finding['at']>, text: TextDocument | undefined) {
  const range = lineRange(at)
  if (text === undefined) return range
  const { line } = range.start
  const last = text.offsetAt({ line: line + 1, character: 0 })
  const whole = text.getText().slice(text.offsetAt(range.start), last).trimEnd().length
  const long = Math.min(range.end.character - range.start.character, Math.max(1, whole))
  return { start: range.start, end: { line, character: range.start.character + long } }
}

function tagsOf({ rule }: Finding): DiagnosticTag[] {
  if (rule === 'kind.deprecated') return [DiagnosticTag.Deprecated]
  return rule === 'suppression.unused' ? [DiagnosticTag.Unnecessary] : []
}

/** Other places of the documents, and the line of the schema. */
function relatedOf({ related = [], declared }: Finding): DiagnosticRelatedInformation[] {
  const places = related.flatMap(({ message, file, at }) =>
    at === undefined
      ? []
      : [{ message, location: { uri: uriOf(resolve(file)), range: lineRange(at) } }],
  )
  if (declared?.file === undefined || declared.line === undefined) return places
  const start = { line: declared.line - 1, character: 0 }
  const { type, field } = declared
  return [
    ...places,
    {
      message: `the schema says so: ${field === undefined ? type : `${type}.${field}`}`,
      location: { uri: uriOf(resolve(declared.file)), range: { start, end: start } },
    },
  ]
}
