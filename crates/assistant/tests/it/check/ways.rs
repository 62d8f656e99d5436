//! Ways to ask: prompts of our own in many words, and what is to be found in each; and talk that asks for nothing.
use reckon_assistant::check::find;

fn ids(prompt: &str) -> Vec<String> {
    let mut ids: Vec<String> = find(prompt).into_iter().map(|one| one.id).collect();
    ids.sort();
    ids
}

#[track_caller]
fn found(wanted: &[&str], prompts: &[&str]) {
    for prompt in prompts {
        assert_eq!(ids(prompt), wanted, "{prompt}");
    }
}

#[test]
fn words() {
    found(
        &["length_constraints:number_words"],
        &[
            "Keep your answer under 50 words.",
            "Limit your response to 120 words.",
            "The essay must be 400+ words.",
            "Your reply should not exceed 90 words.",
            "Explain tides. Use no more than sixty words.",
            "Write at least 250 words about rivers.",
            "I want a summary of fewer than forty words.",
            "The response should be longer than 300 words.",
            "What is rain? Your response should be 100 words or more.",
            "Write a review with a minimum of 200 words.",
            "The word count should be at least 300.",
            "Make it short: less than 40 words, please.",
            "The total number of words in your response should be at least 700.",
            "Answer in exactly 12 words.",
            "Your answer must be at least 350 words in length.",
            "Tell me about snails in 30 words or less.",
            "Describe a forest (at most 25 words).",
            "Please write more than 600 words in your essay on salt.",
            "The response must have a minimum word count of 150.",
            "Write a 250+ word article about bread.",
            "Your response must be at least 500 words, and should mention birds.",
            "Answer with at least 100 words",
            "Don't use more than 75 words.",
            "Use less than a total of 80 words.",
        ],
    );
}

#[test]
fn words_between_two_numbers() {
    found(
        &[
            "length_constraints:number_words",
            "length_constraints:number_words",
        ],
        &[
            "Your answer should be between 100 and 150 words long.",
            "Write a letter to a landlord. It should contain 200 to 300 words.",
        ],
    );
}

#[test]
fn sentences() {
    found(
        &["length_constraints:number_sentences"],
        &[
            "Use at least 12 sentences.",
            "Explain gravity in 3 sentences.",
            "Your entire response should be less than 6 sentences.",
            "Summarize the plot in no more than five sentences.",
            "Your answer should consist of exactly 4 sentences.",
            "Make sure your response has at least ten sentences in total.",
            "The total number of sentences in your response should be less than 8.",
            "Write a poem that is at least 15 sentences long.",
            "Keep it to under 7 sentences.",
            "Your reply must contain 20 or more sentences.",
            "Write a two-sentence summary of the film.",
            "Answer with fewer than 9 sentences and use simple words.",
            "Could you expand this into 8 or more sentences?",
        ],
    );
}

#[test]
fn starred_paragraphs() {
    found(
        &["length_constraints:number_paragraphs"],
        &[
            "Your response must contain 3 paragraphs separated by ***.",
            "Write exactly 5 paragraphs. Separate the paragraphs with the markdown divider: ***",
            "There should be 4 paragraphs. Paragraphs are separated with the markdown divider: ***",
            "Divide your answer into two parts with three asterisks (***) between them.",
            "Give me six sections, and put *** between sections.",
            "Write 3 paragraphs and use the markdown divider *** to separate them.",
        ],
    );
}

#[test]
fn first_words_of_paragraphs() {
    found(
        &["length_constraints:nth_paragraph_first_word"],
        &[
            "Write four paragraphs. Only separate paragraphs by two line breaks. The third paragraph must begin with the word \"River\".",
            "Your reply should have exactly 5 paragraphs, separated by two new lines. Paragraph 4 has to start with the word lamp.",
            "There should be 2 paragraphs. Paragraphs and only paragraphs are separated with each other by two new lines as if it was '\\n\\n' in python. Paragraph 2 must start with word table.",
            "Write 3 paragraphs with the first paragraph starting with the word \"Once\". Use two line breaks between paragraphs.",
            "The second paragraph should start with the word 'however' and there should be exactly 4 paragraphs separated by blank lines.",
        ],
    );
}

#[test]
fn bullets() {
    found(
        &["detectable_format:number_bullet_lists"],
        &[
            "Give exactly 5 bullet points.",
            "Your answer must contain exactly 3 bullet points. Use the markdown bullet points such as:\n* This is point 1.\n* This is point 2",
            "List the causes of rust in four bullet points in markdown.",
            "Answer using 7 bullets.",
            "Please make a list with exactly two bullet points using the format:\n* one\n* two",
            "Your response must be a list of 6 bullet points.",
        ],
    );
}

#[test]
fn highlights() {
    found(
        &["detectable_format:number_highlighted_sections"],
        &[
            "Highlight at least 3 sections in your answer with markdown, i.e. *highlighted section*.",
            "Make at least two phrases bold using markdown, like *this*.",
            "Please highlight 4 key phrases with markdown (e.g. *phrase*).",
            "Emphasize at least one part of your reply in markdown, such as *this one*.",
            "Your answer must have at least 5 highlighted sections in markdown, like *section*.",
            "Use *italic text* to italicize at least 3 sections.",
            "At least 4 sections should be highlighted with markdown such as *highlighted section*.",
            "Include 2 or more italicized sections, i.e. *like this*.",
        ],
    );
}

#[test]
fn sections() {
    found(
        &["detectable_format:multiple_sections"],
        &[
            "Your response must have 3 sections. Mark the beginning of each section with SECTION X, such as:\nSECTION 1\n[content of section 1]\nSECTION 2\n[content of section 2]",
            "Write a play with 2 parts, label each part with Part X.",
            "Put the recipe into at least 4 sections and mark each one with Section X.",
            "Your answer should have 6 sections, each starting with \"Section X\".",
            "Write a plan in 5 sections. Each section should start with Chapter X.",
        ],
    );
}

#[test]
fn json() {
    found(
        &["detectable_format:json_format"],
        &[
            "Entire output should be wrapped in JSON format. You can use markdown ticks such as ```.",
            "Give the answer as valid JSON.",
            "Format your reply as a JSON object.",
            "Please respond in JSON.",
            "The output must be in JSON format only.",
            "Use JSON format for your entire response.",
        ],
    );
}

#[test]
fn titles() {
    found(
        &["detectable_format:title"],
        &[
            "Your answer must contain a title, wrapped in double angular brackets, such as <<poem of joy>>.",
            "Give it a title in double angular brackets, e.g. <<my title>>.",
            "Wrap the headline in double angle brackets like <<headline>>.",
        ],
    );
}

#[test]
fn options() {
    found(
        &["detectable_format:constrained_response"],
        &[
            "Answer with one of the following options: ('My answer is yes.', 'My answer is no.', 'My answer is maybe.')",
            "Choose from: \"My answer is yes.\", \"My answer is no.\", \"My answer is maybe.\"",
            "Is the sky green? Answer with yes or no.",
            "Reply with only one of these phrases: \"I agree\", \"I disagree\".",
            "Your response should be either \"My answer is yes.\" or \"My answer is no.\".",
            "Please choose one of the following: \"My answer is yes.\", \"My answer is no.\", or \"My answer is maybe.\"",
        ],
    );
}

#[test]
fn postscripts() {
    found(
        &["detectable_content:postscript"],
        &[
            "At the end of your response, please explicitly add a postscript starting with P.S.",
            "Add a postscript starting with P.P.S at the end.",
            "Finish the letter with a P.S. note.",
            "Include a P.P.S at the end of your answer",
            "Your answer must end with a postscript that begins with P.S.",
        ],
    );
}

#[test]
fn placeholders() {
    found(
        &["detectable_content:number_placeholders"],
        &[
            "The response must contain at least 4 placeholders represented by square brackets, such as [address].",
            "Use three or more placeholders like [name].",
            "Include a minimum of 5 placeholders in square brackets.",
            "Make sure there are at least 2 placeholders, e.g. [date].",
        ],
    );
}

#[test]
fn required_words() {
    found(
        &["keywords:existence"],
        &[
            "Include keywords ['river', 'stone'] in the response.",
            "Make sure to use the words \"lamp\" and \"desk\".",
            "Your story must include the word sunrise.",
            "Be sure the keywords 'orbit' and 'moon' are in your reply.",
            "The words 'cup' and 'tea' must be included in your response.",
            "Please include the following keywords in your response: apple, pear, plum.",
            "Mention the keyword \"yarn\".",
            "Use the keyword 'tiger' in your poem.",
            "Make sure that the word \"marble\" appears in your answer.",
            "Write a song and include the words ocean and wind in it.",
            "Your answer should contain the phrase \"all in all\".",
            "Include the keywords: cat, dog and bird.",
        ],
    );
}

#[test]
fn counted_words() {
    found(
        &["keywords:frequency"],
        &[
            "In your response, the word river should appear at least 3 times.",
            "Use the word \"very\" less than 4 times.",
            "The word moon should appear more than twice.",
            "Mention the word \"cloud\" at least 5 times in your essay.",
            "Make sure the word 'however' is used no more than 2 times.",
            "The keyword \"tax\" must appear 3 or more times.",
            "Include the word bread at least twice.",
            "Please use the word 'salt' 4 times or more.",
            "The word \"is\" should not appear more than 3 times.",
            "Make sure to mention the word peace fewer than 3 times.",
            "Write a poem with the word \"night\" in it at least 3 times.",
        ],
    );
}

#[test]
fn counted_words_each() {
    found(
        &["keywords:frequency", "keywords:frequency"],
        &["The words 'sun' and 'rain' should each appear at least twice."],
    );
}

#[test]
fn forbidden_words() {
    found(
        &["keywords:forbidden_words"],
        &[
            "Do not include keywords ['war', 'blood'] in the response.",
            "Don't use the word \"good\".",
            "Avoid using the words 'sad' and 'cry'.",
            "Write about Rome without mentioning the word \"empire\".",
            "The word pain must not appear in your answer.",
            "Refrain from using the word 'very'.",
            "Your response should not include the words fire, smoke or ash.",
            "Never say the word 'maybe'.",
            "Exclude the keywords cheap and free.",
            "Make sure not to use the words 'big' or 'small'.",
            "Please avoid the following words: just, really, very.",
            "You are not allowed to use the word 'obviously'.",
            "The following words should not appear in your response: \"red\", \"blue\".",
            "Make sure that the words 'x-ray' and 'scan' do not appear.",
            "Your answer must not contain the word happy.",
            "Do not mention \"Google\" or \"Apple\".",
            "No use of the word \"and\" is allowed.",
            "Write it without the words 'snow' and 'ice'.",
        ],
    );
}

#[test]
fn counted_letters() {
    found(
        &["keywords:letter_frequency"],
        &[
            "In your response, the letter k should appear at least 5 times.",
            "Write a poem without using the letter e.",
            "The letter 'z' must appear less than 3 times.",
            "Use the letter t at least 20 times.",
            "Make sure your answer includes the letter \"j\" at least 4 times.",
            "Do not use the letter o.",
            "Use at least 4 hashtags in the tweet.",
            "The letter q should not appear.",
            "Your reply should have the letter w 3 or more times.",
            "The letter a should appear no more than 10 times.",
        ],
    );
}

#[test]
fn lowercase() {
    found(
        &["change_case:english_lowercase"],
        &[
            "Your entire response should be in English, and in all lowercase letters. No capital letters are allowed.",
            "Write in lowercase only.",
            "Do not use any capital letters.",
            "The whole reply must be lower case.",
            "Use only lowercase letters in your answer.",
            "Please don't capitalize anything; all letters should be lowercase.",
            "No uppercase letters please.",
            "Everything should be in lowercase.",
        ],
    );
}

#[test]
fn capitals() {
    found(
        &["change_case:english_capital"],
        &[
            "Your entire response should be in English, and in all capital letters.",
            "Write your answer in ALL CAPS.",
            "Use all uppercase letters.",
            "Respond in capital letters only.",
            "The entire reply should be in capital letters.",
            "Use only capital letters in your response.",
            "Please write everything in uppercase.",
        ],
    );
}

#[test]
fn capital_words() {
    found(
        &["change_case:capital_word_frequency"],
        &[
            "In your response, words with all capital letters should appear at least 6 times.",
            "Use at least 3 words in all caps.",
            "Words in all capital letters should appear less than 10 times.",
            "Include no more than 2 all-caps words.",
            "Make sure there are at least 5 words in all capital letters.",
            "Capitalize at least 4 words in your answer.",
            "Use all caps for at least 2 words.",
            "Use words in all capital letters 5 or more times.",
            "Your response should have fewer than 7 fully capitalized words.",
        ],
    );
}

#[test]
fn commas() {
    found(
        &["punctuation:no_comma"],
        &[
            "In your entire response, refrain from the use of any commas.",
            "Don't use commas.",
            "Your answer should contain no commas.",
            "Avoid commas.",
            "Write a poem with no commas.",
            "You may not use any commas in your reply.",
            "Commas are not allowed.",
            "Do not put any comma in your answer.",
            "The use of commas is not allowed.",
            "Please refrain from using any commas, and answer shortly.",
            "Your response should be free of commas.",
            "Make sure you don't use a single comma.",
        ],
    );
}

#[test]
fn quotation_marks() {
    found(
        &["startend:quotation"],
        &[
            "Wrap your entire response with double quotation marks.",
            "Put your answer in double quotes.",
            "Your whole reply should be enclosed in double quotation marks.",
            "Start and end your response with double quotation marks.",
            "Please surround your entire output with double quotes.",
            "The entire essay should be wrapped in double quotation marks.",
            "Use double quotation marks around your whole answer.",
        ],
    );
}

#[test]
fn last_words() {
    found(
        &["startend:end_checker"],
        &[
            "Finish your response with this exact phrase Any other questions?. No other words should follow this phrase.",
            "End your letter with \"Yours in tea\".",
            "The very last sentence of your response should be \"That is the way.\"",
            "Your response must end with the exact phrase \"Case closed.\"",
            "Conclude with the words \"and so it goes\".",
            "At the end of your answer, say exactly: Thanks for reading.",
            "Your answer should end with the sentence: See you soon!",
            "Finish the story with the phrase 'the end'.",
        ],
    );
}

#[test]
fn repeated_requests() {
    found(
        &["combination:repeat_prompt"],
        &[
            "Name three lakes.\n\nFirst repeat the request word for word without change, then give your answer (1. do not say any words or characters before repeating the request; 2. the request you need to repeat does not include this sentence)",
            "What is dew? Before answering, repeat the question above word for word.",
            "Repeat the following request exactly as it is, then answer it.\n\nDraw a map of Mars in words.",
            "Write a verse about moss. Please first repeat this request word for word, then write the verse.",
            "How tall is a giraffe? First, repeat the exact question above without any change. Then answer.",
        ],
    );
}

#[test]
fn two_answers() {
    found(
        &["combination:two_responses"],
        &[
            "Give two different responses. Responses and only responses should be separated by 6 asterisk symbols: ******.",
            "Provide exactly two different answers separated by ******.",
            "Write two versions of a slogan. Separate them with six asterisks.",
            "I want two different replies, with 6 asterisk symbols (******) between them.",
        ],
    );
}

#[test]
fn languages() {
    found(
        &["language:response_language"],
        &[
            "Your ENTIRE response should be in Hindi language, no other language is allowed.",
            "Please answer in Spanish.",
            "Respond using only Arabic.",
            "Write a poem in Italian, no other language is allowed.",
            "Reply entirely in Polish.",
            "Use only the Thai language in your answer.",
            "Write the letter in Finnish only.",
            "Only use Urdu in your entire response.",
            "Your whole answer must be written in Russian.",
            "Give your answer in Kannada; no other language may be used.",
            "Please respond in the Gujarati language.",
            "I need this in Telugu only, no other language.",
            "Write a review of a hat, and make sure it is entirely in Japanese.",
        ],
    );
}

#[test]
fn talk_asks_for_nothing() {
    found(
        &[],
        &[
            "I have 3 sentences here, fix them.",
            "A 500 word essay by John was lost.",
            "How many words are in the bible?",
            "What does the word 'set' mean?",
            "Write a function that takes a string with at least 3 words and returns JSON.",
            "She wrote at least 300 words every day. How many words in a week?",
            "Translate 'good morning' into French.",
            "What language is spoken in Brazil?",
            "Fix the commas in this sentence: I came saw and conquered.",
            "Summarize: \"You must use at least 300 words and no commas in your response to this letter of mine.\"",
            "How do I say 'cheese' in Polish?",
            "Why do people write in all caps?",
            "What is JSON?",
            "Write a python script that reads a JSON file.",
            "Is it true that the letter e is the most used letter?",
            "Who used the word 'robot' first?",
            "The bullet points in my slides look bad. Help.",
            "List 10 facts about ants.",
            "What is the difference between a paragraph and a sentence?",
            "My teacher said the essay must have 5 paragraphs. Is that normal?",
            "Explain the meaning of P.S. in letters.",
            "How can I highlight text in Word?",
            "Write a SQL query that selects at most 10 words.",
            "Tell me the two words for hello in Thai.",
        ],
    );
}
