use std::sync::Arc;

use dragontooth_service_client::ServerAddress;
use dragontooth_service_client::wire_tap::RawCodec;
use dragontooth_service_vocabulary::MatchId;
use prost::Message;
use prost::bytes::Bytes;
use tokio::runtime::Builder;
use tonic::Request;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};

use crate::count::Count;
use crate::neighbour::{Neighbour, ready, wait_for_end};

/// The role of a neighbour that reads.
pub(crate) const ROLE: &str = "readers";

const LIST: &str = "/dragontooth.v1.MatchService/ListMatches";
const EXPORT: &str = "/dragontooth.v1.MatchService/ExportMatch";

#[derive(Clone, PartialEq, Message)]
struct ListRequest {
    #[prost(int32, tag = "1")]
    page_size: i32,
    #[prost(string, tag = "2")]
    page_token: String,
}

/// All that a reader wants to know of a page.
#[derive(Clone, PartialEq, Message)]
struct Listed {
    #[prost(string, tag = "2")]
    next_page_token: String,
}

#[derive(Clone, PartialEq, Message)]
struct ExportRequest {
    #[prost(string, tag = "1")]
    match_id: String,
}

/// Callers that list all matches in pages of 500 and export one after each page, without pause, in a process of their
/// own. They do not decode what they get.
pub(crate) struct RawReaders(Neighbour);

impl RawReaders {
    /// Starts as many of them, which export these matches.
    pub(crate) fn start(address: &ServerAddress, readers: usize, ids: &[MatchId]) -> Self {
        let arguments = [address.to_string(), readers.to_string()];
        let ids = ids.iter().map(ToString::to_string);
        let arguments: Vec<_> = arguments.into_iter().chain(ids).collect();
        let mut neighbour = Neighbour::start(ROLE, &arguments);
        neighbour.begin();
        Self(neighbour)
    }

    /// Ends them; returns the number of answers that they got.
    pub(crate) fn stop(self) -> u64 {
        let said = self.0.stop().and_then(|line| line.parse().ok());
        said.expect("it says how many")
    }
}

/// Reads, in a neighbour, until that is to end.
pub(crate) fn read(arguments: &[String]) {
    let [address, readers, ids @ ..] = arguments else {
        unreachable!("it is started above");
    };
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("tokio starts");
    ready();
    let answers = Arc::<Count>::default();
    for number in 0..readers.parse().expect("a number") {
        let ids = ids.to_vec();
        runtime.spawn(read_without_pause(
            address.clone(),
            number,
            ids,
            Arc::clone(&answers),
        ));
    }
    wait_for_end();
    println!("{}", answers.get());
}

async fn read_without_pause(address: String, number: usize, ids: Vec<String>, answers: Arc<Count>) {
    let endpoint = Endpoint::from_shared(address).expect("an address");
    let channel = endpoint.connect().await;
    let mut client = Grpc::new(channel.expect("the service accepts connections"))
        .max_decoding_message_size(usize::MAX);
    let token = format!("Bearer the-reader-number-{number}");
    let mut page_token = String::new();
    for match_id in ids.into_iter().cycle() {
        let list = ListRequest {
            page_size: 500,
            page_token,
        };
        let listed = ask(&mut client, &token, LIST, &list).await;
        let listed = Listed::decode(listed).expect("a page");
        page_token = listed.next_page_token;
        answers.add();
        ask(&mut client, &token, EXPORT, &ExportRequest { match_id }).await;
        answers.add();
    }
}

async fn ask(
    client: &mut Grpc<Channel>,
    token: &str,
    path: &'static str,
    message: &impl Message,
) -> Bytes {
    let mut request = Request::new(Bytes::from(message.encode_to_vec()));
    let token = token.parse().expect("a token is visible ASCII");
    request.metadata_mut().insert("authorization", token);
    client.ready().await.expect("it is connected");
    let path = PathAndQuery::from_static(path);
    let answer = client.unary(request, path, RawCodec).await;
    answer.expect("it is there").into_inner()
}
