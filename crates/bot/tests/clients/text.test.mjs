// The text path against telegram-test-api: a bot for which nobody of us wrote the server.
// BOT is the example `echo`, PORT a free port, FOLDER where the store may lie.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import telegram from "telegram-test-api";

const { BOT, FOLDER, PORT } = process.env;
const token = "666:test";
const url = `http://127.0.0.1:${PORT}`;
const Server = telegram.TelegramServer ?? telegram.default ?? telegram;
const server = new Server({ port: Number(PORT), host: "127.0.0.1", storeTimeout: 600 });
let bot;

const start = () => {
  bot = spawn(BOT, [`${FOLDER}/store.db`, url, "1", "2"], {
    env: { RECKON_TELEGRAM_TOKEN: token },
    stdio: ["ignore", "inherit", "inherit"],
  });
};
const kill = async () => {
  const gone = new Promise((resolve) => bot.once("exit", resolve));
  bot.kill("SIGKILL");
  await gone;
};
const person = (id) => server.getClient(token, { userId: id, chatId: id });
const said = (chat) =>
  server.storage.botMessages
    .filter(({ message }) => String(message.chat_id) === String(chat))
    .map(({ message }) => message.text);
const until = async (what, holds) => {
  for (let tries = 0; tries < 600; tries++) {
    if (holds()) return;
    await sleep(50);
  }
  assert.fail(`${what}: ${JSON.stringify(server.storage.botMessages)}`);
};

before(async () => {
  await server.start();
  start();
});
after(async () => {
  await kill();
  await server.stop();
});

test("a message is answered, as HTML", async () => {
  const client = person(1);
  await client.sendMessage(client.makeMessage("**2** < 3"));
  await until("an answer", () => said(1).length === 1);
  assert.deepEqual(said(1), ["You said: <b>2</b> &lt; 3"]);
});

test("a command is carried out", async () => {
  const client = person(1);
  await client.sendCommand(client.makeCommand("/status"));
  await until("a status", () => said(1).length === 2);
  assert.match(said(1)[1], /Today: 1 answers/);
});

test("a stranger gets a code and nothing else", async () => {
  const client = person(9);
  await client.sendMessage(client.makeMessage("hello"));
  await client.sendCommand(client.makeCommand("/start"));
  await until("a code", () => said(9).length === 1);
  assert.match(said(9)[0], /This bot is private/);
});

test("twenty messages of two people and a kill in between: each answered once", async () => {
  const before = [said(1).length, said(2).length];
  for (let n = 0; n < 20; n++) {
    const client = person(1 + (n % 2));
    await client.sendMessage(client.makeMessage(`question ${n}`));
    if (n === 12) {
      // What was fetched is this server's word for "arrived": it is killed when all of it was.
      await until("fetching", () => server.storage.userMessages.every((update) => update.isRead));
      await sleep(300);
      await kill();
      start();
    }
  }
  for (const chat of [1, 2]) {
    await until("answers", () => said(chat).length >= before[chat - 1] + 10);
    await sleep(1000);
    const answers = said(chat).slice(before[chat - 1]).filter((text) => text.startsWith("You said: question"));
    assert.equal(answers.length, 10);
    assert.equal(new Set(answers).size, 10);
    assert.ok(answers.every((text) => Number(text.split(" ").at(-1)) % 2 === chat - 1));
  }
});
