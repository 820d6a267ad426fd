/** A model that records its queries: what an artefact was made of, and so when it has to be made again. */
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import type { Api } from '../../schema/ir.ts'
import type { NamedType } from '../../schema/named-type.ts'
import type { Model } from './model.ts'
import { structOf } from './references.ts'

/**
 * A query of a model as words, so that it can be repeated on a later model.
 * It is stored with an artefact: `['typesIn', 'file', 'api/core/v1/pod.yaml']`.
 */
export type ModelQuery = readonly [about: keyof Model, ...words: string[]]

/**
 * The same model; each query is passed to `note` before it is answered.
 * A part of `api` is noted when it is read, not for what is read of it: an artefact made of `api.types`
 * depends on all of it. `struct` is not noted by itself, since it is a query of `type`.
 */
export function recordingModel(model: Model, note: (question: ModelQuery) => void): Model {
  const ask = <T>(question: ModelQuery, answer: T): T => {
    note(question)
    return answer
  }
  const typeOf = (id: string): NamedType => ask(['type', id], model.type(id))
  const api = new Proxy(model.api, {
    get: (whole, part: string & keyof Api) => ask(['api', part], whole[part]),
  })
  return {
    api,
    get types() {
      return ask(['types'], model.types)
    },
    get kinds() {
      return ask(['kinds'], model.kinds)
    },
    get rules() {
      return ask(['rules'], model.rules)
    },
    ruleName: (id) => ask(['ruleName', id], model.ruleName(id)),
    type: typeOf,
    typesIn: (home, name) => ask(['typesIn', home, name], model.typesIn(home, name)),
    kindsIn: (home, name) => ask(['kindsIn', home, name], model.kindsIn(home, name)),
    metaType: (name) => ask(['metaType', name], model.metaType(name)),
    kindOf: (struct) => ask(['kindOf', struct.id], model.kindOf(struct)),
    version: (kind, apiVersion) =>
      ask(['version', kind.kind, apiVersion], model.version(kind, apiVersion)),
    bodyOf: (sub) => ask(['bodyOf', sub.kind, sub.apiVersion], model.bodyOf(sub)),
    struct: (type) => structOf(type, typeOf),
    isMerging: (id) => ask(['isMerging', id], model.isMerging(id)),
    isAssociative: (id) => ask(['isAssociative', id], model.isAssociative(id)),
    isGated: (id) => ask(['isGated', id], model.isGated(id)),
    isChecked: (id) => ask(['isChecked', id], model.isChecked(id)),
    isMessage: (id) => ask(['isMessage', id], model.isMessage(id)),
    pageOf: (id) => ask(['pageOf', id], model.pageOf(id)),
  }
}

/**
 * The result of a query; undefined where what it is about no longer exists. `known` are the ids
 * of the model's types.
 * Artefacts are current while the results of all their queries are the same. `rules` is answered
 * by the types that it follows from, which are cheaper to compare than the schemas.
 */
export function queryModel(
  model: Model,
  [about, ...words]: ModelQuery,
  known: ReadonlySet<string>,
): unknown {
  const [first = '', second = ''] = words
  switch (about) {
    case 'api':
      return model.api[first as keyof Api]
    case 'types':
    case 'kinds':
      return model[about]
    case 'rules':
      return model.api.types
    case 'type':
      return known.has(first) ? model.type(first) : undefined
    case 'typesIn':
      return model.typesIn(first as 'file', second)
    case 'kindsIn':
      return model.kindsIn(first as 'version', second)
    case 'metaType':
      return model.metaType(first)
    case 'kindOf':
      return model.kindOf({ id: first })
    case 'version':
      return model.api.kinds.find((one) => one.kind === first && apiVersionOf(one) === second)
    case 'bodyOf':
      return model.bodyOf({ kind: first, apiVersion: second })
    case 'pageOf':
      return known.has(first) ? model.pageOf(first) : undefined
    case 'ruleName':
    case 'isMerging':
    case 'isAssociative':
    case 'isGated':
    case 'isChecked':
    case 'isMessage':
      return model[about](first)
  }
}
