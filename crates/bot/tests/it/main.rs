//! The bot against a double of Telegram's Bot API: what people see, what a crash leaves, what a stranger gets.
mod chats;
mod crash;
mod double;
mod network;
mod people;
mod scripted;
mod webhook;
