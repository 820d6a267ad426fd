/** Facts about metrics that stand in documents for people: tables and sentences in Markdown. */
import type { MetricFact } from './facts-file.ts'

const stabilities: Readonly<Record<string, string>> = {
  'stable names': 'STABLE',
  'beta names': 'BETA',
  'other common names': '',
}

/**
 * The metrics that a document names: in rows called `stable names`, `beta names` and `other common names`; the labels of
 * the request counter in a row of its own; forms in sentences such as "a gauge `name` is set to 1 with labels a and b".
 */
export function metricsIn(markdown: string): readonly MetricFact[] {
  const found = new Map<string, MetricFact>()
  const add = (fact: MetricFact) => found.set(fact.name, { ...found.get(fact.name), ...fact })
  for (const line of markdown.split('\n')) {
    const [, what = '', text = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    const stability = stabilities[what]
    if (stability !== undefined) {
      for (const fact of namesIn(text)) add({ ...fact, ...(stability && { stability }) })
    }
    if (what === 'labels of the request counter') {
      add({ name: 'apiserver_request_total', labels: wordsIn(text) })
    }
    const [, type, name, labels] = sentence.exec(line) ?? []
    if (type && name) add({ name, type, ...(labels && { labels: wordsIn(labels) }) })
  }
  return [...found.values()]
}

const sentence =
  /\ba (gauge|counter|histogram) `(\w+)`(?: [^.;]*?\bwith labels ([^.;]*?), [a-z]+able\b)?/

/** Names between commas. What begins with `prefix_ ` goes for all up to the semicolon; so does `daemon: `. */
function namesIn(text: string): readonly MetricFact[] {
  return text.split(';').flatMap((part) => {
    const [, daemon, rest = ''] = /^\s*(?:([a-z-]+): )?(.*)$/.exec(part) ?? []
    const [, prefix = '', names = ''] = /^(?:(\w+_) )?(.*)$/.exec(rest) ?? []
    return names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => /^\w+\*?$/.test(name))
      .map((name) => ({ name: `${prefix}${name}`, ...(daemon && { daemon }) }))
  })
}

/** The words of a list, without what stands in brackets and after the semicolon. */
function wordsIn(text: string): readonly string[] {
  const [list = ''] = text.replace(/\([^)]*\)/g, '').split(';')
  return list.split(/,| and /).flatMap((word) => word.replaceAll('`', '').trim() || [])
}
