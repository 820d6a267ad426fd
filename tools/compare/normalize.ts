import type { Answer } from './server.ts'

/** How far from now a time may lie that a server is taken to have set itself. */
const recentMs = 24 * 60 * 60 * 1000

/**
 * The answers of one scenario without what differs from run to run: identifiers, revisions, addresses, ports and times become
 * words, equal ones equal words, numbered by their first appearance. The revision of a list is that of the server, which others write to.
 * A message may show an object that one server alone shows: a revision in it that no answer named before has no number.
 */
export function normalizedAnswers(answers: readonly Answer[], now: number): readonly Answer[] {
  const uids = numbering('uid')
  const seen = new Map<string, string>()
  const revisions = numbering('revision', seen)
  const shown = (revision: string): string => seen.get(revision) ?? '<revision>'
  const normal = (text: string): string =>
    text
      .replace(
        /\b(?!123e4567-)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g,
        uids,
      )
      .replace(/"cells":\[[^\]]*\]/g, (cells) => cells.replace(/"(\d+s|<invalid>)"/g, '"<age>"'))
      .replace(/("metadata":\{(?:"continue":"",)?"resourceVersion":")\d+"/g, '$1<list>"')
      .replace(/(\n {2}resourceVersion: ")\d+"/g, '$1<list>"')
      .replace(
        /(resourceVersion\\*"?: ?\\*"|ResourceVersion:\\*")(\d+)(\\*")/g,
        (_, key, revision, end) =>
          `${key}${key.includes('\\') ? shown(revision) : revisions(revision)}${end}`,
      )
      .replace(/(\?hash=)[0-9A-F]{128}/g, '$1<hash>')
      .replace(/(ResourceVersion in (?:the precondition|record) \()\d+/g, '$1<revision>')
      .replace(/(Too large resource version: )\d+, current: \d+/g, '$1<revision>')
      .replace(/"continue":"[^"]+"/g, '"continue":"<token>"')
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) =>
        Math.abs(Date.parse(time) - now) < recentMs ? '<now>' : time,
      )
      .replace(/\bkubernetes\.(URL|Quantity|Authorizer)/g, 'api.$1')
      .replace(/\bselfType\d+/g, 'self')
      .replace(/(\\*")10\.0\.0\.\d+(\\*")/g, '$1<address>$2')
      .replace(/((?:clusterIP:|-) )10\.0\.0\.\d+$/gm, '$1<address>')
      .replace(/\b127\.0\.0\.1:\d+/g, '<server>')
      .replace(
        /(\\*")(nodePort|healthCheckNodePort)(\\*":)3[0-2]\d{3}\b/g,
        (_, quote, name, end) => `${quote}${name}${end}${quote}<port>${quote}`,
      )
      .replace(/((?:nodePort|healthCheckNodePort): )3[0-2]\d{3}$/gm, '$1<port>')
  return answers.map(({ status, headers, text }) => ({
    status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, normal(value)]),
    ),
    text: normal(text),
  }))
}

/** Numbers values in the order in which they are met, so that equal ones stay equal. */
function numbering(word: string, seen = new Map<string, string>()): (value: string) => string {
  return (value) => {
    const known = seen.get(value) ?? `<${word} ${seen.size + 1}>`
    seen.set(value, known)
    return known
  }
}
