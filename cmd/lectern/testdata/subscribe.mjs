// A client of the official SDK that subscribes to resources of a workspace.
// Arguments: the folder of the SDK's client, then the command of the server.
const [, , sdk, command, ...args] = process.argv;
const { Client } = await import(sdk + "/index.js");
const { StdioClientTransport } = await import(sdk + "/stdio.js");
const { ResourceUpdatedNotificationSchema } = await import(sdk + "/../types.js");

const client = new Client({ name: "subscriber", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));

const updates = [];
let wake = () => {};
client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => { updates.push(n.params.uri); wake(); });
const until = async (uri) => {
  while (!updates.includes(uri)) await new Promise((resolve) => (wake = resolve));
};
const check = (holds, what) => {
  if (!holds) throw new Error(what + ": " + JSON.stringify(updates));
};

const note = "ieapp://ws/notes/weekly-sync", list = "workspace://ws/notes/list", classes = "ieapp://ws/classes";
const { resourceTemplates } = await client.listResourceTemplates();
check(resourceTemplates.some((t) => t.uriTemplate === "ieapp://{workspace_id}/notes/{note_id}"), "the template of notes is missing");
const { completion } = await client.complete({ ref: { type: "ref/resource", uri: "ieapp://{workspace_id}/notes/{note_id}" }, argument: { name: "note_id", value: "week" } });
check(completion.values.includes("weekly-sync"), "no completion");
for (const uri of [note, list, classes]) await client.subscribeResource({ uri });

const { tools } = await client.listTools();
const write = tools.find((t) => t.name.endsWith("write_note")).name, read = tools.find((t) => t.name.endsWith("read_note")).name;
const edit = async (text) => {
  const now = (await client.callTool({ name: read, arguments: { note_id: "weekly-sync" } })).structuredContent;
  const answer = await client.callTool({ name: write, arguments: { note_id: "weekly-sync", markdown: text, parent_revision_id: now.revision_id, class: "Meeting" } });
  check(!answer.isError, "a write: " + JSON.stringify(answer));
};

await edit("# Weekly Sync\n\n## Date\n2025-12-06\n");
await until(note);
await until(list);
const [content] = (await client.readResource({ uri: note })).contents;
check(content.text.includes("2025-12-06"), "the resource is old");

await client.unsubscribeResource({ uri: note });
updates.length = 0;
await edit("# Weekly Sync\n\n## Date\n2025-12-13\n");
await until(list);
await client.ping(); // what was sent before its answer has arrived
check(!updates.includes(note) && !updates.includes(classes), "an update that nobody asked for");
await client.close();
console.log("subscribed");
