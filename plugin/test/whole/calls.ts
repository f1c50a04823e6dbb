import assert from 'node:assert/strict'
import type { Kind } from '../host/matrix'
import type { Window } from '../host/launch'
import { known } from '../host/seed'
import { until } from './stage'

// One call of every tool that must succeed on a graph as seed.ts makes it, in
// an order in which each finds what it needs.

export interface Call {
  tool: string
  args: (made: Made) => Record<string, unknown>
  good: (answer: any, kind: Kind, made: Made) => void
  /** What a person does before it. */
  person?: (window: Window) => Promise<void>
  /** Answered without a word to Logseq. */
  alone?: true
}

/** What earlier calls have made. */
export interface Made {
  block?: string
  request?: string
}

const verified = (answer: any) => assert.equal(answer.verified, true, JSON.stringify(answer))

export const calls: Call[] = [
  { tool: 'ping', args: () => ({}), good: (a) => assert.equal(a.connected, true), alone: true },
  { tool: 'get_capabilities', args: () => ({}), good: (a) => assert.ok(a.capabilities.length > 20), alone: true },
  { tool: 'list_pages', args: () => ({ limit: 100 }), good: (a) => assert.ok(a.pages.some((p: any) => p.page_name === 'Books' && p.uuid)) },
  { tool: 'get_page_content', args: () => ({ page_name: 'Books', format: 'json' }), good: (a) => assert.equal(a.blocks[0].uuid, known.first) },
  { tool: 'create_page', args: () => ({ title: 'Garden', content: '- beds\n  - tulips', properties: { area: 'south' } }), good: verified },
  { tool: 'update_page', args: () => ({ page_name: 'Garden', content_append: 'shed', properties: { area: 'north' } }), good: verified },
  { tool: 'rename_page', args: () => ({ page_name: 'Garden', new_name: 'Yard' }), good: verified },
  {
    tool: 'delete_page',
    args: () => ({ page_name: 'Yard' }),
    good: (a, kind) => {
      verified(a)
      assert.equal(a.recycled ?? false, kind === 'db')
    },
  },
  {
    tool: 'search',
    args: () => ({ query: 'lend it' }),
    good: (a) => assert.deepEqual([a.blocks[0].uuid, a.blocks[0].page_name], [known.second, 'Books']),
  },
  { tool: 'get_block', args: () => ({ block_uuid: known.first, include_children: true }), good: (a) => assert.equal(a.block.children[0].uuid, known.child) },
  {
    tool: 'create_block',
    args: () => ({ page_name: 'Books', content: 'new one', position: 'first' }),
    good: (a, _, made) => {
      verified(a)
      made.block = a.uuid
    },
  },
  { tool: 'update_block', args: (made) => ({ block_uuid: made.block, content: 'newer', properties: { mood: 'fine' } }), good: verified },
  { tool: 'move_block', args: (made) => ({ block_uuid: made.block, target_parent_uuid: known.first, position: 'last' }), good: verified },
  { tool: 'delete_block', args: (made) => ({ block_uuid: made.block }), good: verified },
  {
    tool: 'datascript_query',
    args: () => ({ query: '[:find ?u :in $ ?n :where [?p :block/name ?n] [?p :block/uuid ?u]]', inputs: ['books'] }),
    good: (a) => assert.equal(a.total, 1),
  },
  { tool: 'get_backlinks', args: () => ({ page_name: 'Middlemarch' }), good: (a) => assert.equal(a.blocks[0].uuid, known.first) },
  {
    tool: 'insert_blocks',
    args: () => ({ page_name: 'Reviews', markdown: '- one\n  - two\n    - three\n- four' }),
    good: (a) => {
      verified(a)
      assert.equal(a.inserted, 4)
    },
  },
  { tool: 'append_to_journal', args: () => ({ date: '2026-11-21', content: 'first frost' }), good: verified },
  { tool: 'get_journal', args: () => ({ date: '2026-11-21', format: 'text' }), good: (a) => assert.match(a.text, /first frost/) },
  {
    tool: 'replace_page_content',
    args: () => ({ page_name: 'Reviews', content: '- one\n  - two\n- three' }),
    good: (a) => {
      verified(a)
      assert.equal(a.blocks.length, 2)
    },
  },
  { tool: 'create_property', args: () => ({ name: 'Sown on', type: 'date' }), good: verified },
  { tool: 'create_tag', args: () => ({ name: 'Plant', extends: ['private'], properties: ['Rating'] }), good: verified },
  {
    tool: 'set_tags',
    args: () => ({ block_uuid: known.child, add: ['private'], remove: ['Task'] }),
    good: (a) => {
      verified(a)
      assert.deepEqual(a.tags, ['private'])
    },
  },
  { tool: 'logseq_query', args: () => ({ query: '(task todo)' }), good: (a) => assert.deepEqual(a.blocks.map((b: any) => b.uuid), [known.task]) },
  { tool: 'get_focus', args: () => ({}), good: (a) => assert.match(a.note, /No page is open/) },
  {
    tool: 'list_requests',
    args: () => ({}),
    person: async (window) => {
      await window.command('Ask an agent about this', { uuid: known.first })
      await until(async () => /1 waiting for an agent/.test(await window.status()))
    },
    good: (a, _, made) => {
      assert.equal(a.requests[0].blocks[0].uuid, known.first)
      made.request = a.requests[0].id
    },
  },
  { tool: 'answer_request', args: (made) => ({ request_id: made.request ?? known.first, content: 'It is read' }), good: verified },
  { tool: 'open_page', args: () => ({ page_name: 'books' }), good: (a) => assert.equal(a.page_name, 'Books') },
  { tool: 'find', args: () => ({ task: ['TODO'], properties: { priority: '*' } }), good: (a) => assert.deepEqual(a.blocks.map((b: any) => b.uuid), [known.task]) },
  { tool: 'list_tasks', args: () => ({ limit: 9 }), good: (a) => assert.deepEqual(a.blocks.map((b: any) => b.uuid), [known.task]) },
  { tool: 'set_task', args: () => ({ block_uuid: known.task, status: 'DONE', deadline: '2026-12-01' }), good: verified },
  { tool: 'get_tags', args: () => ({}), good: (a) => assert.ok(a.tags.some((t: any) => t.name === 'private')) },
  {
    tool: 'list_assets',
    args: () => ({}),
    person: async (window) => void (await window.person('show_file', known.child, 'png')),
    good: (a) => assert.deepEqual([a.total, a.blocks[0].uuid, a.blocks[0].files], [1, known.child, [`assets/${known.child}.png`]]),
  },
  { tool: 'read_asset', args: () => ({ path: `assets/${known.child}.png` }), good: (a) => assert.deepEqual([a.mimeType, a.size], ['image/png', 3]) },
  { tool: 'list_properties', args: () => ({}), good: (a) => assert.ok(a.properties.length > 0) },
  { tool: 'list_templates', args: () => ({}), good: (a) => assert.equal(a.templates[0].name, 'meeting') },
  {
    tool: 'batch',
    args: () => ({
      items: [
        { tool: 'create_block', arguments: { page_name: 'Books', content: 'of a batch' } },
        { tool: 'update_block', arguments: { block_uuid: known.second, content: 'Lend it to Grace', replace_content: true } },
        { tool: 'set_task', arguments: { block_uuid: known.task, status: 'TODO' } },
      ],
    }),
    good: (a) => {
      assert.deepEqual([a.done, a.failed], [3, 0], JSON.stringify(a))
      for (const one of a.results) verified(one.result)
    },
  },
]
